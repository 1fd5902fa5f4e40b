import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { useFindingTexts } from '../../ui/finding-list.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useUserName } from '../connections/people.ts';
import type { Integration } from './form-values.ts';
import styles from './integrations.module.css';

type SignIns = components['schemas']['ConnectAttempts'];
type Failure = SignIns['failures'][number];

const DAYS = 7;
const SHOWN = 5;

type SignInsSectionProps = {
  readonly projectId: string;
  readonly integration: Integration;
  /** Of the provider. */
  readonly name: string;
};

/** How far users came when they connected, and why some did not. */
export function SignInsSection({ projectId, integration, name }: SignInsSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const query = useQuery(
    apiQuery('/integrations/{id}/connect-attempts', { path: { id: integration.id }, query: { days: DAYS } }),
  );
  return (
    <Section title={texts.signIns} lead={texts.signInsLead} flush>
      <div className={styles.pad}>
        <Loaded query={query}>
          {(signIns) =>
            signIns.opened === 0 && signIns.failures.length === 0 ? (
              <p className="soft">{texts.noSignIns}</p>
            ) : (
              <Funnel signIns={signIns} />
            )
          }
        </Loaded>
      </div>
      {query.data && query.data.failures.length > 0 && (
        <Failures
          projectId={projectId}
          failures={query.data.failures}
          parameters={parametersOf(integration, name)}
        />
      )}
    </Section>
  );
}

function Funnel({ signIns }: { signIns: SignIns }) {
  const { detail: texts } = useTexts().integrations;
  const { language } = useLanguage();
  const steps: [string, number][] = [
    [texts.opened, signIns.opened],
    [texts.sentToProvider, signIns.sentToProvider],
    [texts.cameBack, signIns.cameBack],
    [texts.completed, signIns.completed],
  ];
  const most = Math.max(1, ...steps.map(([, count]) => count));
  return (
    <ol className={`bare-list ${styles.funnel}`}>
      {steps.map(([name, count]) => (
        <li key={name}>
          <span>{name}</span>
          <span className={styles.bar} aria-hidden>
            {count > 0 && <span style={{ width: `${(100 * count) / most}%` }} />}
          </span>
          <strong>{count.toLocaleString(language)}</strong>
        </li>
      ))}
    </ol>
  );
}

/** What the texts of these findings name. */
function parametersOf({ redirectUrl, scopes, optionalScopes }: Integration, provider: string) {
  return { provider, redirectUrl: redirectUrl ?? '', scopes: [...scopes, ...optionalScopes].join(', ') };
}

type FailuresProps = {
  readonly projectId: string;
  readonly failures: readonly Failure[];
  readonly parameters: Readonly<Record<string, string>>;
};

function Failures({ projectId, failures, parameters }: FailuresProps) {
  const nameOf = useUserName();
  const { detail: texts } = useTexts().integrations;
  const textOf = useFindingTexts();
  const [isWhole, setWhole] = useState(false);
  const columns: Column<Failure>[] = [
    {
      key: 'reason',
      header: texts.reason,
      render: (failure) => {
        const { title, remedy } = textOf({ ...failure, detail: '', parameters });
        return (
          <span className={styles.reason}>
            <strong>{title}</strong>
            <span className="soft small">{remedy}</span>
            <code className="small">
              {[failure.providerCode, failure.providerWords].filter(Boolean).join(': ')}
            </code>
          </span>
        );
      },
    },
    {
      key: 'user',
      header: texts.user,
      wide: true,
      render: ({ userId }) => userId !== null && <span className={styles.cut}>{nameOf(userId)}</span>,
    },
    { key: 'when', header: texts.when, render: ({ at }) => <Time at={at} /> },
    {
      key: 'request',
      header: texts.request,
      wide: true,
      render: ({ requestId }) => (
        <IdChip id={requestId} href={`/p/${projectId}/activity?requestId=${requestId}`} />
      ),
    },
  ];
  return (
    <>
      <h3 className={styles.sub}>{texts.fellOut}</h3>
      <Table
        bare
        label={texts.fellOut}
        columns={columns}
        rows={isWhole ? failures : failures.slice(0, SHOWN)}
        rowKey={({ connectSessionId, at }) => `${connectSessionId} ${at}`}
      />
      {!isWhole && failures.length > SHOWN && (
        <div className={styles.pad}>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {texts.showAll} ({failures.length})
          </Button>
        </div>
      )}
    </>
  );
}
