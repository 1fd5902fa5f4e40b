import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { IdChip, shortId } from '../../../ui/id-chip.tsx';
import { Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { SectionHead } from '../section-head.tsx';
import styles from '../settings.module.css';
import { TokenCheck } from './check/token-check.tsx';
import { NewSigningKeyDialog } from './new-signing-key-dialog.tsx';
import type { SigningKey } from './signing-key.ts';
import { TokenCode } from './token-code.tsx';

/** A project has at most so many; the API says the same. */
const KEYS_MAX = 5;

/** What user tokens are verified with, and how to make one. */
export function SigningKeysSection() {
  const projectId = useProjectId();
  const query = useQuery(apiQuery('/projects/{projectId}/signing-keys', { path: { projectId } }));
  return <Loaded query={query}>{({ signingKeys }) => <SigningKeys keys={signingKeys} />}</Loaded>;
}

function SigningKeys({ keys }: { keys: readonly SigningKey[] }) {
  const { settings } = useTexts();
  const { signingKeys: texts, sections } = settings;
  const canEdit = useCanEdit(useProjectId());
  const [isAdding, adding] = useDisclosure();
  const add = canEdit && (
    <Button
      leftSection={<Icon name="plus" size={15} />}
      onClick={adding.open}
      disabled={keys.length >= KEYS_MAX}
    >
      {texts.add}
    </Button>
  );
  return (
    <>
      <SectionHead title={sections['signing-keys']} lead={texts.lead} actions={add} />
      <KeyTable keys={keys} canEdit={canEdit} />
      <p className={`${styles.belowTable} soft small`}>{texts.limit({ used: keys.length, max: KEYS_MAX })}</p>
      <TokenCheck keys={keys} />
      <TokenCode keys={keys} />
      {isAdding && (
        <NewSigningKeyDialog
          onClose={adding.close}
          hasManaged={keys.some(({ kind }) => kind === 'managed')}
        />
      )}
    </>
  );
}

function KeyTable({ keys, canEdit }: { keys: readonly SigningKey[]; canEdit: boolean }) {
  const { settings } = useTexts();
  const { signingKeys: texts, sections, apiKeys } = settings;
  const newestManaged = keys.find(({ kind }) => kind === 'managed');
  const [shown, setShown] = useState<string>();
  const shownKey = keys.find(({ id }) => id === shown);
  return (
    <>
      <Table
        label={sections['signing-keys']}
        rows={keys}
        rowKey={({ id }) => id}
        columns={[
          { key: 'kid', header: texts.kid, render: (key) => <KidCell signingKey={key} /> },
          {
            key: 'issuer',
            header: texts.issuer,
            render: ({ issuer }) => issuer ?? <span className="soft">{texts.anyIssuer}</span>,
            wide: true,
          },
          {
            key: 'created',
            header: apiKeys.createdAt,
            render: ({ createdAt }) => <Time at={createdAt} />,
            wide: true,
          },
          {
            key: 'actions',
            header: '',
            align: 'end',
            render: (key) => (
              <span className={styles.rowActions}>
                {key.publicKey !== null && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-expanded={shown === key.id}
                    onClick={() => setShown(shown === key.id ? undefined : key.id)}
                  >
                    {texts.publicKey}
                  </Button>
                )}
                {canEdit && <RevokeKey signingKey={key} isMinting={key.id === newestManaged?.id} />}
              </span>
            ),
          },
        ]}
      />
      {shownKey?.publicKey && (
        <Section title={`${texts.publicKey} ${shortId(shownKey.kid)}`}>
          <CodeBlock code={shownKey.publicKey} label={texts.publicKey} />
        </Section>
      )}
    </>
  );
}

function KidCell({ signingKey }: { signingKey: SigningKey }) {
  const { kinds } = useTexts().settings.signingKeys;
  const { kid, kind, jwksUrl, alg } = signingKey;
  return (
    <span className={styles.person}>
      {jwksUrl === null ? <IdChip id={kid} /> : <strong className="breaks">{jwksUrl}</strong>}
      <small>{[kinds[kind], alg].filter(Boolean).join(' · ')}</small>
    </span>
  );
}

function RevokeKey({ signingKey, isMinting }: { signingKey: SigningKey; isMinting: boolean }) {
  const { signingKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  const { id, kid, kind } = signingKey;
  const revoke = useAction({
    question: {
      title: texts.revokeTitle,
      consequences: [
        texts.revokeNow,
        ...(isMinting ? [texts.revokeManaged] : []),
        ...(kind === 'jwks' ? [texts.revokeJwks] : []),
      ],
      confirmLabel: texts.revoke,
    },
    send: () => api.delete('/projects/{projectId}/signing-keys/{id}', { path: { projectId, id } }),
    done: texts.revoked,
    refresh: ['/projects/{projectId}/signing-keys', '/activity'],
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${texts.revoke}: ${kid}`}
      onClick={() => revoke.mutate()}
    >
      {texts.revoke}
    </Button>
  );
}
