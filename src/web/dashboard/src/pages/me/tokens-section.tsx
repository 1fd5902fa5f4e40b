import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { Operator } from '../../api/operators.ts';
import { api, apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import uiStyles from '../../ui/ui.module.css';
import { useAction } from '../../ui/use-action.ts';
import styles from './me.module.css';

const EditTokenDialog = lazyPart(() => import('./edit-token.tsx'), 'EditTokenDialog');
const NewTokenDialog = lazyPart(() => import('./new-token.tsx'), 'NewTokenDialog');
const RotateTokenDialog = lazyPart(() => import('./rotate-token.tsx'), 'RotateTokenDialog');

/** Personal access tokens: what scripts use in the operator's name. */
export function TokensSection({ me }: { me: Operator }) {
  const { me: texts } = useTexts();
  const [isCreating, creating] = useDisclosure();
  const tokens = useQuery(apiQuery('/personal-access-tokens', { query: { limit: 100 } }));
  const create = me.emailVerified && (
    <Button variant="default" size="compact-sm" onClick={creating.open}>
      {texts.createToken}
    </Button>
  );
  return (
    <Section title={texts.tokens} lead={texts.tokensLead} actions={create} flush>
      {!me.emailVerified && <p className={`soft ${uiStyles.sectionBody}`}>{texts.tokensUnverified}</p>}
      <Loaded query={tokens}>
        {({ personalAccessTokens }) =>
          personalAccessTokens.length === 0 ? (
            <p className={`soft ${uiStyles.sectionBody}`}>{texts.noTokens}</p>
          ) : (
            <TokenTable tokens={personalAccessTokens} />
          )
        }
      </Loaded>
      <Suspense>{isCreating && <NewTokenDialog onDone={creating.close} />}</Suspense>
    </Section>
  );
}

type Token = {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly allowedAddresses: readonly string[] | null;
};

function TokenTable({ tokens }: { tokens: readonly Token[] }) {
  const { me: texts } = useTexts();
  const [edited, setEdited] = useState<Token>();
  const [rotated, setRotated] = useState<Token>();
  const revoke = useAction({
    question: ({ name, lastUsedAt }: Token) => ({
      title: texts.revokeTitle(name),
      consequences: [lastUsedAt === null ? texts.revokeUnused : texts.revokeUsed],
      confirmLabel: texts.revokeToken,
    }),
    send: ({ id }) => api.delete('/personal-access-tokens/{id}', { path: { id } }),
    refresh: ['/personal-access-tokens'],
  });
  const table = (
    <Table
      bare
      label={texts.tokens}
      rows={tokens}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', header: texts.tokenName, render: (token) => <NameCell token={token} /> },
        {
          key: 'prefix',
          header: texts.tokenPrefix,
          wide: true,
          render: ({ prefix }) => <code>{prefix}…</code>,
        },
        { key: 'used', header: texts.lastUsed, render: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
        {
          key: 'expires',
          header: texts.expires,
          wide: true,
          render: ({ expiresAt }) =>
            expiresAt === null ? (
              <StateBadge tone="warning">{texts.doesNotExpire}</StateBadge>
            ) : (
              <Time at={expiresAt} />
            ),
        },
        {
          key: 'revoke',
          header: '',
          align: 'end',
          render: (token) => (
            <span className={styles.tokenActions}>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={texts.editToken(token.name)}
                onClick={() => setEdited(token)}
              >
                {texts.changeToken}
              </Button>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={texts.rotateTokenTitle(token.name)}
                onClick={() => setRotated(token)}
              >
                {texts.rotateToken}
              </Button>
              <Button variant="default" size="compact-sm" onClick={() => revoke.mutate(token)}>
                {texts.revokeToken}
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
  return (
    <>
      {table}
      <Suspense>
        {edited && <EditTokenDialog token={edited} onDone={() => setEdited(undefined)} />}
        {rotated && <RotateTokenDialog token={rotated} onDone={() => setRotated(undefined)} />}
      </Suspense>
    </>
  );
}

function NameCell({ token: { name, allowedAddresses } }: { token: Token }) {
  const { me: texts } = useTexts();
  return (
    <span className={styles.tokenName}>
      {name}
      {allowedAddresses && <small className="soft">{texts.from(allowedAddresses.join(', '))}</small>}
    </span>
  );
}
