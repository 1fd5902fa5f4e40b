import { Button, Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Icon } from '../icons.tsx';
import { lazyPart } from '../lazy-part.ts';
import styles from './chart.module.css';
import { CHART_HEIGHT, formatStep, type TimeChartProps } from './chart-data.ts';

const Plot = lazyPart(() => import('./plot.tsx'), 'Plot');

/**
 * Values over time, drawn by uPlot, which is loaded with the first chart. The same numbers stand in a table, a button
 * away; screen readers have it at once.
 */
export function TimeChart(props: TimeChartProps) {
  const { title, times, series } = props;
  const { chart: texts } = useTexts().calls;
  const [isTable, setTable] = useState(false);
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  if (isEmpty) return <p className={styles.empty}>{texts.noData}</p>;
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.legend}>
        {series.map(({ key, label, color, isDashed }) => (
          <span key={key}>
            <i style={{ color: `var(${color})` }} data-dashed={isDashed || undefined} />
            {label}
          </span>
        ))}
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-pressed={isTable}
          leftSection={<Icon name={isTable ? 'calls' : 'menu'} size={12} />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? texts.hideTable : texts.showTable}
        </Button>
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <div
          role="img"
          aria-label={texts.describe({ title, points: times.length })}
          style={{ height: CHART_HEIGHT }}
        >
          <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
            <Plot {...props} />
          </Suspense>
        </div>
      )}
    </figure>
  );
}

/** The chart's numbers, newest first; steps without any are left out. */
function ChartTable({ title, step, times, series, format }: TimeChartProps) {
  const { chart: texts } = useTexts().calls;
  const { language } = useLanguage();
  const rows = times
    .map((time, index) => ({ time, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    <section className={styles.tableBox} style={{ height: CHART_HEIGHT }} tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{formatStep(time, step, language)}</th>
              {series.map(({ key }, index) => {
                const value = values[index] ?? null;
                return <td key={key}>{value === null ? '–' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
