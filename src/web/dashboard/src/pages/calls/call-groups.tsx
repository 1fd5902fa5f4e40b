import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { NOT_KNOWN } from '../../app/providers.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { formatShare } from './call-charts.tsx';
import styles from './calls.module.css';
import { type Period, type Stats, type StatsFilter, useStats } from './use-stats.ts';

type Group = Stats['series'][number];
type By = 'provider' | 'integration';

/** The period's numbers by provider or integration; a name narrows the whole page to it. */
export function CallGroups(props: { projectId: string; period: Period; filter: StatsFilter }) {
  const { projectId, period, filter } = props;
  const { calls: texts } = useTexts();
  const [by, setBy] = useState<By>('provider');
  const stats = useStats(projectId, period, by, filter);
  const columns = useColumns(projectId, by);
  const title = by === 'provider' ? texts.byProvider : texts.byIntegration;
  return (
    <Section
      title={title}
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.groupBy}
          value={by}
          onChange={(value) => setBy(value === 'integration' ? 'integration' : 'provider')}
          data={[
            { value: 'provider', label: texts.filters.provider },
            { value: 'integration', label: texts.filters.integration },
          ]}
        />
      }
    >
      <Loaded query={stats}>
        {({ series, seriesOmitted }) => (
          <>
            <Table bare label={title} columns={columns} rows={series} rowKey={({ key }) => key} />
            {seriesOmitted > 0 && <p className={styles.note}>{texts.omitted(seriesOmitted)}</p>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function useColumns(projectId: string, by: By): Column<Group>[] {
  const { calls: texts } = useTexts();
  const { language } = useLanguage();
  const count = (value: number) => value.toLocaleString(language);
  const time = (ms: number | null) => (ms === null ? '–' : formatDuration(ms, language));
  return [
    {
      key: 'name',
      header: by === 'provider' ? texts.filters.provider : texts.filters.integration,
      render: (group) => <GroupName projectId={projectId} by={by} group={group} />,
    },
    { key: 'calls', header: texts.outcome.calls, align: 'end', render: ({ totals }) => count(totals.calls) },
    {
      key: 'errors',
      header: texts.errorRate,
      align: 'end',
      render: ({ totals }) =>
        formatShare(totals.gatewayErrors + totals.providerErrors, totals.calls, language),
    },
    {
      key: 'gateway',
      header: texts.outcome.gatewayErrors,
      align: 'end',
      wide: true,
      render: ({ totals }) => count(totals.gatewayErrors),
    },
    {
      key: 'provider',
      header: texts.outcome.providerErrors,
      align: 'end',
      wide: true,
      render: ({ totals }) => count(totals.providerErrors),
    },
    { key: 'p50', header: texts.latency.p50, align: 'end', render: ({ totals }) => time(totals.p50Ms) },
    {
      key: 'p99',
      header: texts.latency.p99,
      align: 'end',
      wide: true,
      render: ({ totals }) => time(totals.p99Ms),
    },
    {
      key: 'own',
      header: texts.latency.gatewayP50,
      align: 'end',
      wide: true,
      render: ({ totals }) => time(totals.gatewayP50Ms),
    },
  ];
}

function GroupName({ projectId, by, group }: { projectId: string; by: By; group: Group }) {
  const { calls: texts } = useTexts();
  if (group.key === NOT_KNOWN) return <span className="soft">{texts.refusedBefore}</span>;
  const search = by === 'provider' ? { provider: group.key } : { integrationId: group.key };
  return (
    <TextLink to="/p/$projectId/calls" params={{ projectId }} search={search} resetScroll={false}>
      <ProviderMark id={group.label ?? group.key} size={18} />
      {by === 'integration' && <span className="soft small"> · {group.key.slice(-6)}</span>}
    </TextLink>
  );
}
