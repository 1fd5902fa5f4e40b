import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, Modal, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../../api/client.ts';
import { apiQuery, refresh } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Bars, Loaded } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../events.module.css';
import { useIntegrationList, useIntegrationOptions, useIntegrations } from '../parts.tsx';
import { DryRunView } from './dry-run-view.tsx';
import { PATHS_OF_POLL } from './poll-parts.tsx';

type Resource = Schema<'PollResourceList'>['resources'][number];
type Values = {
  integrationId: string;
  resource: string;
  custom: string;
  intervalSeconds: string;
  parameters: Record<string, string>;
  backfill: boolean;
  scan: boolean;
};

const CUSTOM = '(custom)';

/** Creates a poll of a resource that the catalog describes, or of one in the same shape, after a dry run if wanted. */
export function NewPollDialog({ onClose }: { onClose: () => void }) {
  const { polls: texts } = useTexts().events;
  const projectId = useProjectId();
  const list = useIntegrationList(projectId);
  const options = useIntegrationOptions(projectId);
  const first = useFirstToPoll(projectId, list.data?.integrations);
  return (
    <Modal opened onClose={onClose} size="xl" title={texts.create}>
      <Loaded query={list}>
        {({ integrations }) => {
          if (integrations.length === 0) return <Notice tone="info" title={texts.noIntegrations} />;
          return first === undefined ? (
            <Bars />
          ) : (
            <PollForm options={options} first={first} onClose={onClose} />
          );
        }}
      </Loaded>
    </Modal>
  );
}

/** As many are looked at for the one that the form begins with. */
const LOOKED_MAX = 20;

/** The newest integration whose provider the catalog knows how to poll, else the newest; undefined until it is known. */
function useFirstToPoll(
  projectId: string,
  integrations: ReturnType<typeof useIntegrations> = [],
): string | undefined {
  const found = useQueries({
    queries: integrations
      .slice(0, LOOKED_MAX)
      .map(({ serviceProvider }) => resourcesQuery(serviceProvider, projectId)),
  });
  if (found.some(({ isPending }) => isPending)) return undefined;
  const index = found.findIndex(({ data }) => (data?.resources.length ?? 0) > 0);
  return integrations[Math.max(0, index)]?.id;
}

function resourcesQuery(provider: string, projectId: string) {
  return {
    ...apiQuery('/providers/{provider}/poll-resources', { path: { provider }, query: { projectId } }),
    staleTime: 300_000,
  };
}

type PollFormProps = {
  readonly options: { value: string; label: string }[];
  readonly first: string;
  readonly onClose: () => void;
};

function PollForm({ options, first, onClose }: PollFormProps) {
  const { events, common } = useTexts();
  const texts = events.polls;
  const client = useQueryClient();
  const form = useForm<Values>({
    initialValues: {
      integrationId: first,
      resource: '',
      custom: '',
      intervalSeconds: '300',
      parameters: {},
      backfill: false,
      scan: false,
    },
  });
  const { values } = form;
  const resources = useResources(values.integrationId);
  const isCustom = resources !== undefined && (values.resource === CUSTOM || resources.length === 0);
  const chosen = isCustom ? CUSTOM : values.resource || (resources?.[0]?.name ?? '');
  const resource = resources?.find(({ name }) => name === chosen);
  const send = (dryRun: 'true' | 'false') =>
    request<unknown>('POST', '/polls', { query: { dryRun }, body: bodyOf(values, resource) });
  const dryRun = useMutation({ mutationFn: () => send('true').then(asDryRun) });
  const create = useMutation({
    mutationFn: () => send('false'),
    onSuccess: async () => {
      showDone(texts.created);
      onClose();
      await refresh(client, ...PATHS_OF_POLL);
    },
  });
  const checked = (act: () => void) => () => {
    if (resource || parse(values.custom)) act();
    else form.setFieldError('custom', texts.customFault);
  };
  return (
    <form className={styles.form} onSubmit={form.onSubmit(checked(create.mutate))}>
      <NativeSelect
        label={events.integration}
        data={options}
        data-autofocus
        value={values.integrationId}
        onChange={({ currentTarget }) =>
          form.setValues({ integrationId: currentTarget.value, resource: '', parameters: {} })
        }
      />
      <NativeSelect
        label={texts.resource}
        description={resources?.length === 0 ? texts.noneInCatalog : undefined}
        data={[
          ...(resources ?? []).map(({ name, title }) => ({ value: name, label: title })),
          { value: CUSTOM, label: texts.custom },
        ]}
        disabled={resources === undefined}
        value={chosen}
        onChange={({ currentTarget }) => form.setValues({ resource: currentTarget.value, parameters: {} })}
      />
      {isCustom && (
        <CustomField
          resources={resources}
          props={form.getInputProps('custom')}
          onChoose={(custom) => form.setFieldValue('custom', custom)}
        />
      )}
      {Object.entries(resource?.parameters ?? {}).map(([name, { description, default: usual, example }]) => (
        <TextInput
          key={name}
          label={texts.parameter(name)}
          description={description}
          placeholder={usual ?? example ?? undefined}
          value={values.parameters[name] ?? ''}
          onChange={({ currentTarget }) =>
            form.setFieldValue('parameters', { ...values.parameters, [name]: currentTarget.value })
          }
        />
      ))}
      <NativeSelect
        label={texts.interval}
        data={Object.entries(texts.intervals).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('intervalSeconds')}
      />
      <Checkbox label={texts.backfill} {...form.getInputProps('backfill', { type: 'checkbox' })} />
      {resource?.listsDeleted ? (
        <p className="soft small">{texts.listsDeleted}</p>
      ) : (
        resource?.canScan !== false && (
          <Checkbox label={texts.deletes} {...form.getInputProps('scan', { type: 'checkbox' })} />
        )
      )}
      {resource?.notes.map((note) => (
        <p key={note} className="soft small">
          {note}
        </p>
      ))}
      <ProblemNotice error={create.error ?? dryRun.error} />
      {dryRun.data && <DryRunView result={dryRun.data} />}
      <div className={styles.formFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button variant="default" loading={dryRun.isPending} onClick={checked(dryRun.mutate)}>
          {texts.dryRun}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {texts.create}
        </Button>
      </div>
    </form>
  );
}

type CustomFieldProps = {
  readonly resources: readonly Resource[];
  readonly props: object;
  readonly onChoose: (json: string) => void;
};

/** The description of a resource as JSON, begun with one of the catalog's. */
function CustomField({ resources, props, onChoose }: CustomFieldProps) {
  const { polls: texts } = useTexts().events;
  return (
    <>
      {resources.length > 0 && (
        <NativeSelect
          label={texts.takeFrom}
          data={['', ...resources.map(({ name }) => name)]}
          onChange={({ currentTarget }) => {
            const found = resources.find(({ name }) => name === currentTarget.value);
            if (found) onChoose(JSON.stringify(found.definition, null, 2));
          }}
        />
      )}
      <Textarea
        label={texts.customResource}
        description={texts.customHint}
        rows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mono)', fontSize: '0.8125rem' } }}
        {...props}
      />
    </>
  );
}

/** What of the integration's provider can be polled; undefined until it is known. */
function useResources(integrationId: string): readonly Resource[] | undefined {
  const projectId = useProjectId();
  const provider = useIntegrations(projectId)?.find(({ id }) => id === integrationId)?.serviceProvider;
  const found = useQuery({ ...resourcesQuery(provider ?? '', projectId), enabled: provider !== undefined });
  return found.data?.resources;
}

function bodyOf(values: Values, resource: Resource | undefined) {
  const given = Object.entries(values.parameters).filter(([, value]) => value.trim() !== '');
  return {
    integrationId: values.integrationId,
    ...(resource ? { resource: resource.name } : { custom: parse(values.custom) }),
    intervalSeconds: Number(values.intervalSeconds),
    ...(given.length > 0 && { parameters: Object.fromEntries(given) }),
    backfill: values.backfill ? 'full' : 'none',
    deletes: values.scan ? 'scan' : 'none',
  };
}

function parse(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The gateway checks its own answers against the document. */
const asDryRun = (reply: unknown) => reply as Schema<'PollDryRun'>;
