import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { gatewayQuery } from '../../api/operators.ts';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit, useMe, useRole } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CreateIntegrationLink } from '../../ui/create-integration-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Bars, Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page.tsx';
import { type ConsoleCall, METHODS } from './console/console-call.ts';
import { readHistory } from './console/history.ts';
import type { Integration } from './console/target-picker.tsx';
import { Workbench } from './console/workbench.tsx';

/** Sends calls through the proxy as the application would, and shows what comes back. */
export function ConsolePage() {
  const { calls } = useTexts();
  const texts = calls.console;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const role = useRole(projectId);
  const integrations = useQuery(apiQuery('/integrations', { query: { projectId, limit: 200 } }));
  return (
    <>
      <PageHead
        title={calls.consoleTitle}
        lead={texts.lead}
        parent={{ label: calls.title, link: { to: `/p/${projectId}/calls` } }}
      />
      {role === 'viewer' && <Notice tone="info" title={texts.viewer} />}
      {canEdit && (
        <Loaded query={integrations}>
          {({ integrations: list }) =>
            list.length === 0 ? <NoIntegrations /> : <Ready integrations={list} />
          }
        </Loaded>
      )}
    </>
  );
}

function NoIntegrations() {
  const { calls } = useTexts();
  return (
    <EmptyState
      icon="code"
      title={calls.console.noIntegrations}
      text={calls.console.noIntegrationsText}
      action={<CreateIntegrationLink />}
    />
  );
}

/** Once it is known where the proxy is and who the operator is. */
function Ready({ integrations }: { integrations: readonly Integration[] }) {
  const projectId = useProjectId();
  const me = useMe();
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000 });
  // It begins with the provider that was called last, or one at which the operator has a connection.
  const overview = useQuery(apiQuery('/projects/{projectId}/overview', { path: { projectId } }));
  const first = useFirstCall(integrations, [
    me && readHistory(projectId, me.id)[0]?.provider,
    overview.data?.firstSteps.testProvider ?? undefined,
  ]);
  if (overview.isPending) return <Bars rows={8} height={28} />;
  return (
    <Loaded query={gateway}>
      {({ publicUrl, proxyUrl }) =>
        me && (
          <Workbench
            key={`${projectId} ${JSON.stringify(first)}`}
            projectId={projectId}
            operatorId={me.id}
            // By the name that the browser knows, where the proxy has no address of its own.
            proxyUrl={proxyUrl === publicUrl ? location.origin : proxyUrl}
            publicProxyUrl={proxyUrl}
            integrations={integrations}
            first={first}
          />
        )
      }
    </Loaded>
  );
}

/** What a link to the console asks for: provider, method, path, user, connection. */
function useFirstCall(
  integrations: readonly Integration[],
  preferred: readonly (string | undefined)[],
): ConsoleCall {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const has = (provider: string | undefined) =>
    integrations.some(({ serviceProvider }) => serviceProvider === provider);
  const chosen = [search.provider, ...preferred].find(has) ?? integrations[0]?.serviceProvider;
  return {
    provider: chosen ?? '',
    method: METHODS.find((method) => method === search.method) ?? 'GET',
    path: search.path?.startsWith('/') ? search.path : '',
    query: [],
    headers: [],
    body: '',
    userId: search.userId ?? '',
    connectionId: search.connectionId ?? '',
  };
}
