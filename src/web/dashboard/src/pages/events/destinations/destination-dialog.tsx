import '@mantine/core/styles/Pill.layer.css';
import '@mantine/core/styles/PillsInput.layer.css';
import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, Modal, MultiSelect, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../../api/problem.ts';
import { api, apiQuery, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../events.module.css';
import { useIntegrations } from '../parts.tsx';
import { type Destination, type NewDestination, PATHS_OF_DESTINATION } from './destination-parts.tsx';

type DestinationDialogProps = {
  /** Absent for a new one. */
  readonly destination?: Destination;
  readonly onClose: () => void;
  readonly onCreated?: (made: NewDestination) => void;
};

/** Creates a destination or changes one. */
export function DestinationDialog(props: DestinationDialogProps) {
  const { destinations: texts } = useTexts().events;
  return (
    <Modal
      opened
      onClose={props.onClose}
      size="lg"
      title={props.destination ? texts.editTitle : texts.create}
    >
      <DestinationForm {...props} />
    </Modal>
  );
}

const NEW = {
  url: '',
  description: '',
  types: ['*'],
  connectionIds: [] as string[],
  isOrdered: false,
  format: 'standard' as Destination['format'],
};
type Values = typeof NEW;

function valuesOf(destination: Destination | undefined): Values {
  if (destination === undefined) return NEW;
  const { url, description, types, connectionIds, ordered, format } = destination;
  return {
    url,
    description: description ?? '',
    types,
    connectionIds: connectionIds ?? [],
    isOrdered: ordered === 'connection',
    format,
  };
}

function bodyOf({ url, description, types, connectionIds, isOrdered, format }: Values) {
  return {
    url: url.trim(),
    types,
    format,
    description: description.trim() === '' ? null : description.trim(),
    connectionIds: connectionIds.length === 0 ? null : connectionIds,
    ordered: isOrdered ? ('connection' as const) : ('none' as const),
  };
}

function DestinationForm({ destination, onClose, onCreated }: DestinationDialogProps) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const projectId = useProjectId();
  const client = useQueryClient();
  const form = useForm<Values>({ initialValues: valuesOf(destination) });
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const body = bodyOf(values);
      if (destination) {
        await api.patch('/event-destinations/{id}', { path: { id: destination.id }, body });
        return undefined;
      }
      return api.post('/event-destinations', { body: { projectId, ...body } });
    },
    onSuccess: async (made) => {
      if (made) onCreated?.(made);
      else showDone(common.saved);
      onClose();
      await refresh(client, ...PATHS_OF_DESTINATION);
    },
    onError: (error) => form.setErrors(formErrors(error)),
  });
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
      {save.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={save.error} />}
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        type="url"
        required
        placeholder="https://app.example.com/events"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TagsInput
        label={texts.types}
        description={texts.typesHint}
        data={useTypeSuggestions(projectId)}
        splitChars={[',', ' ']}
        {...form.getInputProps('types')}
      />
      <MultiSelect
        label={`${texts.connections} (${common.optional})`}
        description={texts.connectionsHint}
        data={useConnectionOptions(projectId, form.values.connectionIds)}
        searchable
        {...form.getInputProps('connectionIds')}
      />
      <TextInput
        label={`${texts.description} (${common.optional})`}
        maxLength={500}
        {...form.getInputProps('description')}
      />
      <NativeSelect
        label={texts.format}
        data={Object.entries(texts.formats).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('format')}
      />
      <Checkbox
        label={texts.ordered}
        description={texts.orderedHint}
        {...form.getInputProps('isOrdered', { type: 'checkbox' })}
      />
      <div className={styles.formFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={form.values.types.length === 0}>
          {destination ? common.save : texts.create}
        </Button>
      </div>
    </form>
  );
}

/** `types.0` is told beside the field of types. */
function formErrors(error: unknown): Record<string, string> {
  const entries = Object.entries(fieldErrors(error));
  return Object.fromEntries(entries.map(([path, message]) => [path.split('.', 1)[0] ?? path, message]));
}

/** All, what has been seen, and the beginnings of what the project's providers and the gateway itself send. */
function useTypeSuggestions(projectId: string): string[] {
  const seen = useQuery({ ...apiQuery('/events/types', { query: { projectId } }), staleTime: 30_000 });
  const integrations = useIntegrations(projectId) ?? [];
  const types = seen.data?.types.map(({ type }) => type) ?? [];
  const objects = types.flatMap((type) =>
    type.split('.').length > 2 ? [`${type.replace(/\.[^.]+$/, '')}.*`] : [],
  );
  const providers = integrations.map(({ serviceProvider }) => `${serviceProvider}.*`);
  return [...new Set(['*', 'connection.*', 'integration.*', ...providers, ...objects, ...types])];
}

function useConnectionOptions(projectId: string, chosen: readonly string[]) {
  const path = { projectId };
  const found = useQuery(apiQuery('/projects/{projectId}/connections', { path, query: { limit: 200 } }));
  const options = (found.data?.connections ?? []).map(({ id, accountName, userId, serviceProvider }) => ({
    value: id,
    label: `${accountName ?? userId} · ${serviceProvider}`,
  }));
  const known = new Set(options.map(({ value }) => value));
  const others = chosen
    .filter((id) => !known.has(id))
    .map((value) => ({ value, label: `…${value.slice(-6)}` }));
  return [...options, ...others];
}
