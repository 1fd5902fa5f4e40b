import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { formatShare } from './call-charts.tsx';
import styles from './calls.module.css';
import { type Period, type Stats, type Usage, useUsage } from './use-stats.ts';

type Group = Stats['series'][number];

const USAGES: readonly Usage[] = ['user', 'organization', 'mandate', 'tag'];
const TAG_LENGTH_MAX = 64;

/** Who makes the period's calls, in the whole project. */
export function UsageGroups({ projectId, period }: { projectId: string; period: Period }) {
  const { usage: texts, omitted, groupBy } = useTexts().calls;
  const [by, setBy] = useState<Usage>('organization');
  const [tag, setTag] = useState('');
  const stats = useUsage(projectId, period, by, tag.trim());
  const columns = useColumns(by);
  const isAsked = by !== 'tag' || tag.trim() !== '';
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      flush
      actions={
        <>
          {by === 'tag' && (
            <TextInput
              size="xs"
              aria-label={texts.tagKey}
              placeholder={texts.tagKey}
              maxLength={TAG_LENGTH_MAX}
              value={tag}
              onChange={({ currentTarget }) => setTag(currentTarget.value)}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label={`${texts.title}: ${groupBy}`}
            value={by}
            onChange={(value) => setBy(USAGES.find((usage) => usage === value) ?? 'organization')}
            data={USAGES.map((value) => ({ value, label: texts.by[value] }))}
          />
        </>
      }
    >
      {isAsked ? (
        <Loaded query={stats}>
          {({ series, seriesOmitted }) =>
            series.length === 0 ? (
              <p className={styles.note}>{texts.none[by]}</p>
            ) : (
              <>
                <Table bare label={texts.title} columns={columns} rows={series} rowKey={({ key }) => key} />
                {seriesOmitted > 0 && <p className={styles.note}>{omitted(seriesOmitted)}</p>}
              </>
            )
          }
        </Loaded>
      ) : (
        <p className={styles.note}>{texts.tagHint}</p>
      )}
    </Section>
  );
}

function useColumns(by: Usage): Column<Group>[] {
  const { usage: texts, outcome, errorRate } = useTexts().calls;
  const { language } = useLanguage();
  const count = (value: number) => value.toLocaleString(language);
  return [
    {
      key: 'name',
      header: texts.by[by],
      render: ({ label }) => label ?? <span className="soft">{texts.together}</span>,
    },
    { key: 'calls', header: outcome.calls, align: 'end', render: ({ totals }) => count(totals.calls) },
    {
      key: 'errors',
      header: errorRate,
      align: 'end',
      render: ({ totals }) =>
        formatShare(totals.gatewayErrors + totals.providerErrors, totals.calls, language),
    },
  ];
}
