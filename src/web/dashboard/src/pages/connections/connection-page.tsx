import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { apiQuery } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTitle } from '../../frame/root.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Facts, PageHead, Section } from '../../ui/page.tsx';
import { ProviderMark, useProviderName } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { nameAccount } from './account-name.ts';
import { ConnectTestAccount } from './connect-test-account.tsx';
import { ConnectionCalls } from './connection-calls.tsx';
import { ConnectionEvents } from './connection-events.tsx';
import { ConnectionFindings, useConnectionTest } from './connection-findings.tsx';
import { ConnectionState } from './connection-state.tsx';
import { ConnectionTenant, useTenantKind } from './connection-tenant.tsx';
import { CredentialsHealth, GrantedScopes } from './credentials-health.tsx';
import { MetadataEditor } from './metadata-editor.tsx';
import { useIsOwnTest, useUserName } from './people.ts';
import { ReauthorizeLink } from './reauthorize-link.tsx';
import { Timeline } from './timeline.tsx';
import { useDeleteConnection } from './use-delete-connection.ts';

/** One connection: what is the case, what to do about it, and what happened. */
export function ConnectionPage() {
  const { connectionId = '' } = useParams({ strict: false });
  const connection = useQuery(apiQuery('/connections/{id}', { path: { id: connectionId } }));
  return (
    <Loaded query={connection} isPage>
      {(it) => <ConnectionDetail connection={it} />}
    </Loaded>
  );
}

function ConnectionDetail({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const health = useQuery(apiQuery('/connections/{id}/health', { path: { id: connection.id } }));
  const test = useConnectionTest(connection.id);
  const account = nameAccount(connection, texts);
  useTitle(account);
  return (
    <>
      <PageHead
        title={account}
        parent={{ label: texts.title, link: { to: `/p/${projectId}/connections` } }}
        state={<ConnectionState connection={connection} />}
        meta={<ConnectionMeta connection={connection} />}
        actions={canEdit && <ConnectionActions connection={connection} test={test} />}
      />
      <ConnectionFindings
        connection={connection}
        health={health.data}
        test={test.data}
        testError={test.error}
      />
      <div className="columns">
        <div>
          <Section title={texts.facts}>
            <ConnectionFacts connection={connection} />
          </Section>
          <Loaded query={health}>{(it) => <CredentialsHealth health={it} />}</Loaded>
          {health.data && <GrantedScopes scopes={health.data.scopes} />}
        </div>
        <div>
          <Timeline connection={connection} />
          <MetadataEditor connection={connection} canEdit={canEdit} />
        </div>
      </div>
      <ConnectionEvents connectionId={connection.id} />
      <ConnectionCalls connectionId={connection.id} />
    </>
  );
}

function ConnectionMeta({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  return (
    <>
      <ProviderMark id={connection.serviceProvider} size={16} />
      <IdChip id={connection.id} />
      <span>
        {texts.lastUsed} <Time at={connection.lastUsedAt} />
      </span>
    </>
  );
}

type TestRun = ReturnType<typeof useConnectionTest>;

/** What helps first where it does not work: another authorization. Else a test; the rest stands in the menu. */
function ConnectionActions({ connection, test }: { connection: Connection; test: TestRun }) {
  const { connections: texts, common } = useTexts();
  const remove = useDeleteConnection(connection);
  const isBroken = connection.status === 'reauthorization_required';
  return (
    <>
      {isBroken ? (
        <Reauthorize connection={connection} variant="filled" />
      ) : (
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          {texts.actions.test}
        </Button>
      )}
      <TryCall connection={connection} />
      {!isBroken && <Reauthorize connection={connection} variant="default" />}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={common.actions}>
            <Icon name="more" size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {isBroken && <Menu.Item onClick={() => test.mutate()}>{texts.actions.test}</Menu.Item>}
          <Menu.Item color="red" leftSection={<Icon name="trash" size={15} />} onClick={remove}>
            {texts.actions.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** The operator's own test account in a window; a user's by a link to send. */
function Reauthorize({ connection, variant }: { connection: Connection; variant: 'filled' | 'default' }) {
  const { connections: texts } = useTexts();
  const isOwn = useIsOwnTest(connection.owner.id);
  const name = useProviderName(connection.serviceProvider);
  if (!isOwn) return <ReauthorizeLink connection={connection} providerName={name} variant={variant} />;
  return (
    <ConnectTestAccount
      target={{ connectionId: connection.id }}
      providerName={name}
      label={texts.actions.reauthorizeOwn}
      variant={variant}
      leftSection={<Icon name="refresh" size={15} />}
    />
  );
}

function TryCall({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const isOwn = useIsOwnTest(connection.owner.id);
  const search = {
    provider: connection.serviceProvider,
    connectionId: connection.id,
    ...(!isOwn && { userId: connection.userId }),
  };
  return (
    <LinkButton variant="default" to="/p/$projectId/console" params={{ projectId }} search={search}>
      {texts.actions.tryCall}
    </LinkButton>
  );
}

function ConnectionFacts({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const nameOf = useUserName();
  const kind = useTenantKind(connection);
  const known = connection.authMetadata;
  const apiAddress = 'ProviderAccount' in known ? known.ProviderAccount.apiBaseUrl : null;
  return (
    <Facts
      facts={[
        [
          connection.owner.type === 'user' ? texts.user : texts.organization,
          <TextLink
            key="user"
            to="/p/$projectId/connections"
            params={{ projectId }}
            search={
              connection.owner.type === 'user'
                ? { userId: connection.owner.id }
                : { organizationId: connection.owner.id }
            }
          >
            {nameOf(connection.owner.id)}
          </TextLink>,
        ],
        [
          texts.integration,
          <TextLink
            key="integration"
            to="/p/$projectId/integrations/$integrationId"
            params={{ projectId, integrationId: connection.integrationId }}
          >
            <ProviderMark id={connection.serviceProvider} size={16} />
          </TextLink>,
        ],
        [texts.accountId, connection.accountId ? <IdChip key="account" id={connection.accountId} /> : '–'],
        ...(kind === undefined
          ? []
          : [
              [
                texts.tenants.kinds[kind],
                <ConnectionTenant key="tenant" {...{ connection, kind }} />,
              ] as const,
            ]),
        ...(apiAddress === null
          ? []
          : [[texts.apiAddress, <code key="address">{apiAddress}</code>] as const]),
        ...(Object.keys(connection.tags).length === 0
          ? []
          : [[texts.tags, <TagList key="tags" tags={connection.tags} />] as const]),
        [texts.created, <Time key="created" at={connection.createdAt} />],
      ]}
    />
  );
}

function TagList({ tags }: { tags: Connection['tags'] }) {
  return (
    <>
      {Object.entries(tags)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', ')}
    </>
  );
}
