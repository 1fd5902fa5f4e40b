import { Button, type ButtonProps, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiQuery } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProviderLogo, ProviderName, useProviderName } from '../../ui/provider-mark.tsx';
import { ConnectDialog, ConnectTestAccount, useConnectTestAccount } from './connect-test-account.tsx';

type Props = ButtonProps & {
  readonly projectId: string;
  /** Left out: opens the new connection's page. */
  readonly onConnected?: (connection: Connection) => void;
};

/** "Connect a test account" where no integration is named: asks which, if the project has several. */
export function ConnectOwnAccount({ projectId, onConnected, ...button }: Props) {
  const navigate = useNavigate();
  const { data } = useQuery(apiQuery('/integrations', { query: { projectId, limit: 200 } }));
  const [first, ...others] = data?.integrations ?? [];
  const finish =
    onConnected ?? (({ id }: Connection) => void navigate({ href: `/p/${projectId}/connections/${id}` }));
  if (first === undefined) return null;
  if (others.length === 0) return <ConnectFirst integration={first} onConnected={finish} {...button} />;
  return <ChooseIntegration integrations={[first, ...others]} onConnected={finish} {...button} />;
}

type Listed = { readonly id: string; readonly serviceProvider: string; readonly clientId: string | null };

function ConnectFirst({
  integration,
  onConnected,
  ...button
}: ButtonProps & { integration: Listed; onConnected: (connection: Connection) => void }) {
  const name = useProviderName(integration.serviceProvider);
  return (
    <ConnectTestAccount
      target={{ integrationId: integration.id }}
      providerName={name}
      onConnected={onConnected}
      {...button}
    />
  );
}

function ChooseIntegration({
  integrations,
  onConnected,
  ...button
}: ButtonProps & { integrations: readonly Listed[]; onConnected: (connection: Connection) => void }) {
  const { testAccount } = useTexts().connections;
  const { state, start, reset } = useConnectTestAccount(onConnected);
  const isRepeated = (id: string) =>
    integrations.filter(({ serviceProvider }) => serviceProvider === id).length > 1;
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            leftSection={<Icon name="plus" size={15} />}
            rightSection={<Icon name="chevronDown" size={13} />}
            {...button}
          >
            {testAccount.button}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{testAccount.choose}</Menu.Label>
          {integrations.map(({ id, serviceProvider, clientId }) => (
            <Menu.Item
              key={id}
              leftSection={<ProviderLogo id={serviceProvider} size={18} />}
              onClick={() => void start({ integrationId: id })}
            >
              <ProviderName id={serviceProvider} />
              {isRepeated(serviceProvider) && (
                <span className="soft small"> · {clientId ?? id.slice(-6)}</span>
              )}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ConnectDialog state={state} providerName={testAccount.theProvider} onStart={start} onClose={reset} />
    </>
  );
}
