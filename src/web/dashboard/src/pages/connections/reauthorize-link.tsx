import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useSave } from '../../ui/use-save.ts';
import { nameAccount } from './account-name.ts';
import { ApplicationVariables } from './application-variables.tsx';
import styles from './connections.module.css';
import { variablesAskedBy } from './variables-asked.ts';

type Props = Pick<ButtonProps, 'variant'> & {
  readonly connection: Connection;
  readonly providerName: string;
};

/** Makes the link on which the connection's user authorizes again, to copy or to send. */
export function ReauthorizeLink({ connection, providerName, variant }: Props) {
  const { connections: texts } = useTexts();
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant={variant} leftSection={<Icon name="send" size={15} />} onClick={dialog.open}>
        {texts.actions.reauthorize}
      </Button>
      {isOpen && (
        <Dialog onClose={dialog.close} title={texts.link.title} size="lg">
          <LinkMaker connection={connection} providerName={providerName} />
        </Dialog>
      )}
    </>
  );
}

/** The link is kept in this component alone: any person who has it may use it. */
function LinkMaker({ connection, providerName }: { connection: Connection; providerName: string }) {
  const texts = useTexts().connections;
  const create = useSave({
    send: (variables: Record<string, string> | undefined) =>
      api.post('/connect-sessions', {
        body: { connectionId: connection.id, completion: 'link', ...(variables && { variables }) },
      }),
    isSecret: true,
  });
  const session = create.data;
  const asked = variablesAskedBy(create.error);
  return (
    <div className={styles.stack}>
      <p className="soft">
        {texts.link.lead({ account: nameAccount(connection, texts), provider: providerName })}
      </p>
      {asked.length === 0 ? (
        <ProblemNotice error={create.problem} />
      ) : (
        <ApplicationVariables asked={asked} onSubmit={create.mutate} />
      )}
      {session && (
        <>
          <CodeBlock code={session.url} label={texts.link.label} />
          <span className="soft small">
            {texts.link.expires} <Time at={session.expiresAt} />
          </span>
        </>
      )}
      <div className={styles.end}>
        <Button
          variant={session ? 'default' : 'filled'}
          loading={create.isPending}
          onClick={() => create.mutate(undefined)}
        >
          {session ? texts.link.again : texts.link.create}
        </Button>
        {session && (
          <Button
            component="a"
            href={mailto(connection.userId ?? '', {
              subject: texts.link.mailSubject(providerName),
              body: texts.link.mailBody({ provider: providerName, url: session.url }),
            })}
            leftSection={<Icon name="mail" size={15} />}
          >
            {texts.link.mail}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Addressed where the application's user ids are e-mail addresses. */
function mailto(userId: string, { subject, body }: { subject: string; body: string }): string {
  const [name = '', host = '', ...others] = userId.split('@');
  const isAddress = name !== '' && host.includes('.') && others.length === 0 && !/[\s:]/.test(userId);
  const to = isAddress ? encodeURIComponent(userId) : '';
  return `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}
