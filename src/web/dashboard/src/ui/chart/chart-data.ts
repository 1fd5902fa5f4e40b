import { findRegionalTag } from '../../texts/regional-tag.ts';
/** One line or layer of a chart. */
export type ChartSeries = {
  readonly key: string;
  readonly label: string;
  /** A custom property of tokens.css: the same one for the same thing everywhere. */
  readonly color: `--chart-${string}`;
  /** One value a step; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
};

export type ChartStep = 'minute' | 'hour' | 'day';

const STEP_MS: Readonly<Record<ChartStep, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Every step of a range, in ms since 1970: what the API leaves out because there was nothing is a step as well. */
export function listSteps(from: string, to: string, step: ChartStep): number[] {
  const length = STEP_MS[step];
  const count = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / length));
  return Array.from({ length: count }, (_, index) => Date.parse(from) + index * length);
}

/** A value for each step: of the point at that time, else `missing`. */
export function valuesAt<P extends { readonly at: string }>(
  times: readonly number[],
  points: readonly P[],
  read: (point: P) => number | null,
  missing: number | null,
): (number | null)[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  return times.map((time) => {
    const point = byTime.get(time);
    return point === undefined ? missing : read(point);
  });
}

/** How a step reads in an axis, a tooltip or a table. Days are the gateway's, which begin at midnight UTC. */
export function formatStep(timeMs: number, step: ChartStep, language: string): string {
  const date = new Date(timeMs);
  if (step === 'day')
    return date.toLocaleDateString(findRegionalTag(language), {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
  return date.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

export const CHART_HEIGHT = 190;

export type TimeChartProps = {
  /** Names the chart for screen readers. */
  readonly title: string;
  readonly step: ChartStep;
  /** The beginning of each step, in ms since 1970. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** How a value reads, with its unit. */
  readonly format: (value: number) => string;
  /** Layers upon each other, from the first at the bottom; else a line each. */
  readonly isStacked?: boolean;
};
