import '@mantine/core/styles/Pill.layer.css';
import '@mantine/core/styles/PillsInput.layer.css';
import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, MultiSelect, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { type Form, listOptions, useForm } from '../../../ui/form.ts';
import { sendEdit } from '../../../ui/send-edit.ts';
import { useSave } from '../../../ui/use-save.ts';
import { useIntegrations } from '../parts.tsx';
import { type Destination, type NewDestination, PATHS_OF_DESTINATION } from './destination-parts.tsx';
import {
  buildKafka,
  KAFKA_MEMBERS,
  KafkaFields,
  type KafkaValues,
  NEW_KAFKA,
  readKafka,
} from './kafka-fields.tsx';

type DestinationDialogProps = {
  /** Absent for a new one. */
  readonly destination?: Destination;
  readonly onClose: () => void;
  readonly onCreated?: (made: NewDestination) => void;
};

type Values = KafkaValues & {
  kind: Destination['kind'];
  url: string;
  description: string;
  types: string[];
  connectionIds: string[];
  isOrdered: boolean;
  format: Destination['format'];
};

const NEW: Values = {
  ...NEW_KAFKA,
  kind: 'http',
  url: '',
  description: '',
  types: ['*'],
  connectionIds: [],
  isOrdered: false,
  format: 'standard',
};

function readValues({ description, connectionIds, ordered, kafka, ...same }: Destination): Values {
  const { kind, url, types, format } = same;
  return {
    ...readKafka(kafka),
    ...{ kind, url, types, format },
    description: description ?? '',
    connectionIds: connectionIds ?? [],
    isOrdered: ordered === 'connection',
  };
}

function buildBody(values: Values) {
  const { kind, url, description, types, connectionIds, isOrdered, format } = values;
  return {
    ...(kind === 'http' ? { url: url.trim() } : { kafka: buildKafka(values) }),
    types,
    format,
    description: description.trim() === '' ? null : description.trim(),
    connectionIds: connectionIds.length === 0 ? null : connectionIds,
    ordered: isOrdered ? ('connection' as const) : ('none' as const),
  };
}

/** Creates a destination or changes one. */
export function DestinationDialog({ destination, onClose, onCreated }: DestinationDialogProps) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const projectId = useProjectId();
  const form = useForm<Values>({
    initialValues: destination ? readValues(destination) : NEW,
    fields: { ordered: 'isOrdered', ...KAFKA_MEMBERS },
  });
  const save = useSave({
    send: async (values: Values) => {
      if (destination === undefined)
        return api.post('/event-destinations', {
          body: { projectId, kind: values.kind, ...buildBody(values) },
        });
      const path = { id: destination.id };
      const edit = { path, form, values, read: readValues, write: buildBody };
      await sendEdit({ template: '/event-destinations/{id}', ...edit });
      return undefined;
    },
    form,
    isSecret: true,
    done: (made) => (made ? undefined : common.saved),
    onClose,
    onDone: (made) => made && onCreated?.(made),
    refresh: PATHS_OF_DESTINATION,
  });
  return (
    <DialogForm
      title={destination ? texts.editTitle : texts.create}
      size="lg"
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={destination ? common.save : texts.create}
      isDisabled={form.values.types.length === 0}
    >
      <DestinationFields form={form} isNew={destination === undefined} />
    </DialogForm>
  );
}

function DestinationFields({ form, isNew }: { form: Form<Values>; isNew: boolean }) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const projectId = useProjectId();
  return (
    <>
      {isNew && (
        <NativeSelect
          label={texts.kind}
          data={listOptions(texts.kinds)}
          data-autofocus
          {...form.getInputProps('kind')}
        />
      )}
      {form.values.kind === 'http' ? (
        <TextInput
          label={texts.url}
          description={texts.urlHint}
          type="url"
          required
          placeholder="https://app.example.com/events"
          data-autofocus={isNew ? undefined : true}
          {...form.getInputProps('url')}
        />
      ) : (
        <KafkaFields form={form} isNew={isNew} />
      )}
      <TagsInput
        label={texts.types}
        description={texts.typesHint}
        data={useTypeSuggestions(projectId)}
        splitChars={[',', ' ']}
        {...form.getValueProps('types')}
      />
      <MultiSelect
        label={`${texts.connections} (${common.optional})`}
        description={texts.connectionsHint}
        data={useConnectionOptions(projectId, form.values.connectionIds)}
        searchable
        {...form.getValueProps('connectionIds')}
      />
      <TextInput
        label={`${texts.description} (${common.optional})`}
        maxLength={500}
        {...form.getInputProps('description')}
      />
      <NativeSelect
        label={texts.format}
        data={listOptions(texts.formats)}
        {...form.getInputProps('format')}
      />
      <Checkbox
        label={texts.ordered}
        description={texts.orderedHint}
        {...form.getCheckboxProps('isOrdered')}
      />
    </>
  );
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
  return [
    ...new Set(['*', 'connection.*', 'integration.*', 'activity.*', ...providers, ...objects, ...types]),
  ];
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
