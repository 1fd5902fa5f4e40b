import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../../api/queries.ts';
import type { Connection } from '../../../app/connect-popup.ts';
import { useMe } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useProviderName, useProviderOptions } from '../../../ui/provider-mark.tsx';
import { nameAccount } from '../../connections/account-name.ts';
import { ConnectTestAccount } from '../../connections/connect-test-account.tsx';
import styles from './console.module.css';
import type { ConsoleCall } from './console-call.ts';

export type Integration = { readonly id: string; readonly serviceProvider: string };

type Props = {
  readonly projectId: string;
  readonly call: ConsoleCall;
  readonly onChange: (part: Partial<ConsoleCall>) => void;
  readonly integrations: readonly Integration[];
  readonly isOther: boolean;
  readonly setOther: (isOther: boolean) => void;
};

/** Which provider is called as which user, and with which of the user's connections. */
export function TargetPicker(props: Props) {
  const { projectId, call, onChange, integrations, isOther, setOther } = props;
  const { calls, connections } = useTexts();
  const texts = calls.console;
  const found = useUserConnections(projectId, call, isOther);
  const providers = useProviderOptions(integrations.map(({ serviceProvider }) => serviceProvider));
  return (
    <>
      <div className={styles.target}>
        <NativeSelect
          label={texts.provider}
          data={providers}
          value={call.provider}
          onChange={(event) => onChange({ provider: event.currentTarget.value, connectionId: '' })}
        />
        <NativeSelect
          label={texts.asUser}
          value={isOther ? 'other' : 'self'}
          onChange={(event) => {
            setOther(event.currentTarget.value === 'other');
            onChange({ userId: '', connectionId: '' });
          }}
          data={[
            { value: 'self', label: texts.asSelf },
            { value: 'other', label: texts.asOther },
          ]}
        />
        {isOther && (
          <TextInput
            label={texts.otherUserId}
            description={texts.otherNote}
            value={call.userId}
            onChange={(event) => onChange({ userId: event.currentTarget.value.trim(), connectionId: '' })}
            spellCheck={false}
          />
        )}
        {found.list.length > 1 && (
          <NativeSelect
            label={texts.connection}
            value={call.connectionId}
            onChange={(event) => onChange({ connectionId: event.currentTarget.value })}
            data={[
              { value: '', label: '–' },
              ...found.list.map((each) => ({ value: each.id, label: nameAccount(each, connections) })),
            ]}
          />
        )}
      </div>
      {found.isMissing && <NoConnection {...props} onConnected={() => onChange({ connectionId: '' })} />}
    </>
  );
}

/** The connections of that user at that provider. */
function useUserConnections(projectId: string, call: ConsoleCall, isOther: boolean) {
  const me = useMe();
  const userId = isOther ? call.userId : me && `operator:${me.id}`;
  const { data } = useQuery({
    ...apiQuery('/projects/{projectId}/connections', {
      path: { projectId },
      query: { userId: userId ?? '', serviceProvider: call.provider, limit: 50 },
    }),
    enabled: Boolean(userId) && call.provider !== '',
  });
  const list: readonly Connection[] = data?.connections ?? [];
  return { list, isMissing: data !== undefined && list.length === 0 && Boolean(userId) };
}

function NoConnection({ call, integrations, isOther, onConnected }: Props & { onConnected: () => void }) {
  const { console: texts } = useTexts().calls;
  const name = useProviderName(call.provider);
  const integration = integrations.find(({ serviceProvider }) => serviceProvider === call.provider);
  if (isOther)
    return <Notice tone="info" title={texts.noConnectionOf({ user: call.userId, provider: name })} />;
  return (
    <Notice
      tone="info"
      title={texts.noConnection(name)}
      foot={
        integration && (
          <ConnectTestAccount
            size="xs"
            target={{ integrationId: integration.id }}
            providerName={name}
            onConnected={onConnected}
          />
        )
      }
    />
  );
}
