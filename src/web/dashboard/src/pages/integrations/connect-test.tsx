import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { refresh } from '../../api/queries.ts';
import type { ConnectTarget } from '../../app/connect-popup.ts';
import { useConnectTestAccount } from '../../app/test-account.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useUserName } from '../connections/people.ts';
import { TestAccountProblem } from '../connections/test-account-problem.tsx';
import { newestConnectionsQuery } from './connections-section.tsx';
import { type Integration, needsRegistering } from './form-values.ts';
import { CopyField } from './set-up-steps.tsx';

/** What an authorization changes beside the connections. */
const PATHS_AFTER_SIGN_IN = [
  '/integrations/{id}/connect-attempts',
  '/integrations/{id}/diagnosis',
  '/integrations/{id}/secrets',
  '/projects/{projectId}/provider-evidence',
];

type ConnectTestProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider;
};

/** The next step of an integration without a connection: the operator's own test account. */
export function ConnectTest({ projectId, integration, provider }: ConnectTestProps) {
  const { detail: texts, setUp } = useTexts().integrations;
  const { created }: { created?: string } = useSearch({ strict: false });
  const client = useQueryClient();
  const connect = useConnectTestAccount();
  const newest = useQuery(newestConnectionsQuery(projectId, integration.id)).data?.connections;
  if (connect.data) return <Connected projectId={projectId} connection={connect.data} />;
  const isNew = created === '1';
  // An integration that users have connected to needs no invitation.
  if (!isNew && !connect.isError && newest?.length !== 0) return null;
  const start = (target: ConnectTarget) =>
    connect.mutate(target, { onSettled: () => refresh(client, ...PATHS_AFTER_SIGN_IN) });
  const { redirectUrl, serviceProvider } = integration;
  // Of other providers the redirect URL was known, and registered, before the integration was made.
  const isOwn = serviceProvider.startsWith('custom:') || provider.mcp !== null;
  const isToRegister = isOwn && redirectUrl !== null && needsRegistering(integration, provider);
  return (
    <>
      <TestAccountProblem connect={connect} onStart={start} />
      <Notice
        tone="info"
        title={isNew ? texts.created : texts.noConnections}
        foot={
          <>
            <Button
              size="compact-md"
              loading={connect.isPending}
              leftSection={<Icon name="connections" size={15} />}
              onClick={() => start({ integrationId: integration.id })}
            >
              {texts.connectTest}
            </Button>
            {connect.isPending && <span role="status">{texts.connecting}</span>}
          </>
        }
      >
        {isToRegister && (
          <>
            {texts.redirectNow} <CopyField label={setUp.redirectUrl} value={redirectUrl} />
          </>
        )}
        {texts.createdText}
      </Notice>
    </>
  );
}

type ConnectedProps = {
  readonly projectId: string;
  readonly connection: NonNullable<ReturnType<typeof useConnectTestAccount>['data']>;
};

function Connected({ projectId, connection }: ConnectedProps) {
  const { detail: texts } = useTexts().integrations;
  const { id, accountName, accountId, userId, serviceProvider } = connection;
  const nameOf = useUserName();
  return (
    <Notice
      tone="good"
      title={texts.connected(accountName ?? accountId ?? nameOf(userId ?? ''))}
      isAlert
      foot={
        <>
          <LinkButton
            size="compact-md"
            to="/p/$projectId/console"
            params={{ projectId }}
            search={{ provider: serviceProvider }}
          >
            {texts.tryCall}
          </LinkButton>
          <TextLink to="/p/$projectId/connections/$connectionId" params={{ projectId, connectionId: id }}>
            {texts.showConnection}
          </TextLink>
        </>
      }
    />
  );
}
