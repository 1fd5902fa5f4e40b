import { useQuery } from '@tanstack/react-query';
import { gatewayQuery } from '../../api/operators.ts';
import { apiList, apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CreateIntegrationLink } from '../../ui/create-integration-link.tsx';
import { useExamplePath } from '../../ui/example-call.ts';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import type { FilterDefinition, Filters } from '../../ui/list/filters.ts';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { useProviderOptions } from '../../ui/provider-mark.tsx';
import { useCallColumns } from './call-columns.tsx';
import type { Call } from './call-parts.tsx';
import styles from './calls.module.css';

const integrationsQuery = (projectId: string) => ({
  ...apiQuery('/integrations', { query: { projectId, limit: 200 } }),
  staleTime: 60_000,
});

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The calls that are kept, newest first. */
export function CallList() {
  const { calls: texts } = useTexts();
  const projectId = useProjectId();
  const filters = useCallFilters(projectId);
  const columns = useCallColumns();
  const canEdit = useCanEdit(projectId);
  return (
    <section className={styles.list} aria-labelledby="recent-calls">
      <h2 id="recent-calls">{texts.recent}</h2>
      <p className="soft small">{texts.recentLead}</p>
      <ResourceList<Call>
        label={texts.recent}
        filters={filters}
        query={(given) =>
          apiList('/projects/{projectId}/calls', { path: { projectId }, query: toQuery(given) })
        }
        columns={columns}
        rowKey={({ requestId }) => requestId}
        rowHref={({ requestId }) => `/p/${projectId}/calls/${requestId}`}
        empty={<NoCalls projectId={projectId} />}
        exportSlot={(given) => canEdit && <MakeMandate projectId={projectId} filters={toQuery(given)} />}
      />
    </section>
  );
}

/** Leads to an editor that is filled with what allows the calls that are listed. */
function MakeMandate({ projectId, filters }: { projectId: string; filters: Filters }) {
  const { calls: texts } = useTexts();
  return (
    <LinkButton
      variant="default"
      size="compact-sm"
      leftSection={<Icon name="mandates" size={14} />}
      to="/p/$projectId/mandates/new"
      params={{ projectId }}
      search={{ ...filters, from: 'calls' }}
    >
      {texts.makeMandate}
    </LinkButton>
  );
}

/** What to send for a first one to appear. */
function NoCalls({ projectId }: { projectId: string }) {
  const { calls: texts } = useTexts();
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000 }).data;
  const integrations = useQuery(integrationsQuery(projectId)).data?.integrations;
  const provider = integrations?.[0]?.serviceProvider;
  const path = useExamplePath(provider);
  if (gateway === undefined || provider === undefined)
    return (
      <>
        <p className="soft">{texts.recentEmpty}</p>
        {integrations?.length === 0 && <CreateIntegrationLink />}
      </>
    );
  const address = `${gateway.proxyUrl}/projects/${projectId}/proxy/${provider}${path}`;
  const code = `curl "${address}" \\\n  -H "Authorization: Bearer $USER_TOKEN"`;
  return (
    <>
      <p className="soft">{texts.recentEmptyTry}</p>
      <CodeBlock code={code} label="curl" />
    </>
  );
}

/** What is typed is a request id where it looks like one, else a user id. */
function toQuery({ search, ...rest }: Filters): Record<string, string> {
  if (search === undefined) return rest;
  return { ...rest, ...(UUID.test(search) ? { requestId: search } : { userId: search }) };
}

function useCallFilters(projectId: string): FilterDefinition[] {
  const { calls: texts } = useTexts();
  const found = useQuery(integrationsQuery(projectId));
  const providers = useProviderOptions(
    found.data?.integrations.map(({ serviceProvider }) => serviceProvider) ?? [],
  );
  const options = (words: Readonly<Record<string, string>>, names: readonly string[]) =>
    names.map((value) => ({ value, label: words[value] ?? value }));
  return [
    { name: 'search', label: texts.filters.search, kind: 'search' },
    {
      name: 'origin',
      label: texts.filters.origin,
      kind: 'choice',
      options: options(texts.origins, ['none', 'gateway', 'provider']),
    },
    {
      name: 'status',
      label: texts.filters.status,
      kind: 'choice',
      options: options(texts.statuses, ['2xx', '3xx', '4xx', '5xx', '0']),
    },
    providers.length > 1
      ? { name: 'provider', label: texts.filters.provider, kind: 'choice', options: providers }
      : { name: 'provider', label: texts.filters.provider, kind: 'text' },
    { name: 'integrationId', label: texts.filters.integration, kind: 'text' },
    { name: 'connectionId', label: texts.filters.connection, kind: 'text' },
    { name: 'userId', label: texts.filters.user, kind: 'text' },
    { name: 'mandateId', label: texts.filters.mandate, kind: 'text', canType: true },
    { name: 'actor', label: texts.filters.actor, kind: 'text', canType: true },
  ];
}
