import { useQuery } from '@tanstack/react-query';

import { Suspense } from 'react';
import { type GatewayFacts, gatewayQuery } from '../../api/operators.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, PageHead, Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';

const OwnersSection = lazyPart(() => import('./owners-section.tsx'), 'OwnersSection');

const RestoreSection = lazyPart(() => import('./restore-section.tsx'), 'RestoreSection');

const REFRESH_MS = 30_000;

/** `/gateway`: version and addresses for every operator; store, keys, replicas and settings for owners. */
export function GatewayPage() {
  const { gateway: texts, frame } = useTexts();
  const gateway = useQuery({ ...gatewayQuery, refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        state={gateway.isSuccess && <StateBadge tone="good">{frame.reachable}</StateBadge>}
      />
      <Loaded query={gateway}>{(facts) => <GatewaySections facts={facts} />}</Loaded>
    </>
  );
}

function GatewaySections({ facts }: { facts: GatewayFacts }) {
  const { gateway: texts } = useTexts();
  return (
    <>
      <PublicUrlCheck publicUrl={facts.publicUrl} />
      <Suspense>{facts.store && <RestoreSection />}</Suspense>
      {facts.untrustedProxy && (
        <Notice tone="warning" title={texts.untrustedProxy}>
          {texts.untrustedProxyText(facts.untrustedProxy.address)}
        </Notice>
      )}
      <Section title={texts.addresses}>
        <Facts
          facts={[
            [texts.version, facts.version],
            [texts.publicUrl, <Copied key="public" value={facts.publicUrl} />],
            [texts.proxyUrl, <Copied key="proxy" value={facts.proxyUrl} />],
            [texts.callback, <Copied key="callback" value={`${facts.publicUrl}/oauth/callback`} />],
            [texts.startedAt, <Time key="started" at={facts.startedAt} />],
          ]}
        />
      </Section>
      {facts.store && <StoreSection store={facts.store} />}
      {facts.encryptionKeys && <KeysSection keys={facts.encryptionKeys} />}
      {facts.replicas && <ReplicasSection replicas={facts.replicas} />}
      {facts.settings && (
        <Section title={texts.settings} lead={texts.settingsLead}>
          <CodeBlock code={JSON.stringify(facts.settings, null, 2)} label={texts.settings} />
        </Section>
      )}
      <Suspense>{facts.store && <OwnersSection />}</Suspense>
      {!facts.store && <p className="soft">{texts.ownersOnly}</p>}
    </>
  );
}

/** What providers and users get must be the address that browsers use. */
function PublicUrlCheck({ publicUrl }: { publicUrl: string }) {
  const { gateway: texts } = useTexts();
  if (window.location.origin === publicUrl) return null;
  return (
    <Notice tone="warning" title={texts.otherAddress}>
      {texts.otherAddressText({ seen: window.location.origin, publicUrl })}
    </Notice>
  );
}

function Copied({ value }: { value: string }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
      <span className="mono">{value}</span>
      <CopyButton value={value} size={22} />
    </span>
  );
}

function StoreSection({ store }: { store: NonNullable<GatewayFacts['store']> }) {
  const { gateway: texts, common } = useTexts();
  return (
    <Section title={texts.store}>
      <Facts
        facts={[
          [texts.kind, store.embedded ? texts.embedded : texts.external],
          [texts.serverVersion, `PostgreSQL ${store.serverVersion}`],
          [
            texts.migration,
            <span key="m" className="mono">
              {store.migration ?? common.none}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

function KeysSection({ keys }: { keys: NonNullable<GatewayFacts['encryptionKeys']> }) {
  const { gateway: texts } = useTexts();
  const { language } = useLanguage();
  return (
    <Section title={texts.keys} lead={texts.keysLead} flush>
      <Table
        bare
        label={texts.keys}
        rows={keys}
        rowKey={({ id }) => id}
        columns={[
          { key: 'id', header: texts.keyId, render: ({ id }) => <code>{id}</code> },
          {
            key: 'rows',
            header: texts.keyRows,
            align: 'end',
            render: ({ rows }) => (rows === null ? texts.counting : rows.toLocaleString(language)),
          },
          {
            key: 'state',
            header: texts.keyState,
            render: (key) => {
              if (key.id === keys[0]?.id) return <StateBadge tone="good">{texts.keyInUse}</StateBadge>;
              if (key.rows === 0) return <StateBadge tone="info">{texts.keyRemovable}</StateBadge>;
              return <StateBadge tone="neutral">{texts.keyRotating}</StateBadge>;
            },
          },
        ]}
      />
    </Section>
  );
}

function ReplicasSection({ replicas }: { replicas: NonNullable<GatewayFacts['replicas']> }) {
  const { gateway: texts } = useTexts();
  return (
    <Section title={texts.replicas} lead={texts.replicasLead} flush>
      <Table
        bare
        label={texts.replicas}
        rows={replicas}
        rowKey={({ id }) => id}
        columns={[
          { key: 'id', header: texts.replica, render: ({ id }) => <code>{id}</code> },
          { key: 'started', header: texts.startedAt, render: ({ startedAt }) => <Time at={startedAt} /> },
        ]}
      />
    </Section>
  );
}
