import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLanguage } from '../../texts/texts.tsx';
import styles from './chart.module.css';
import { CHART_HEIGHT, formatStep, type TimeChartProps } from './chart-data.ts';

type Hover = { readonly index: number; readonly left: number };

const AXIS_WIDTH = 56;

/** The drawing of a chart. Drawn again when the numbers, the width or the colour scheme change. */
export function Plot(props: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const { language } = useLanguage();
  const [hover, setHover] = useState<Hover>();
  useEffect(() => {
    const element = box.current;
    // The colours of the tokens are read when it is drawn.
    if (element === null || scheme === undefined) return;
    const plot = new uPlot(
      optionsOf(props, { language, width: element.clientWidth, onHover: setHover }),
      dataOf(props),
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: CHART_HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [props, scheme, language]);
  return (
    <div ref={box} className={styles.plot}>
      {hover && <HoverBox {...props} hover={hover} />}
    </div>
  );
}

function HoverBox({ hover, times, step, series, format }: TimeChartProps & { hover: Hover }) {
  const { language } = useLanguage();
  const time = times[hover.index];
  if (time === undefined) return null;
  const isRight = hover.index > times.length / 2;
  const place = isRight ? { right: `calc(100% - ${hover.left - 10}px)` } : { left: hover.left + 10 };
  return (
    <div className={styles.hover} style={place}>
      <b>{formatStep(time, step, language)}</b>
      {series.map(({ key, label, color, values }) => {
        const value = values[hover.index] ?? null;
        return (
          <span key={key}>
            <i style={{ color: `var(${color})` }} />
            {label} <em>{value === null ? '–' : format(value)}</em>
          </span>
        );
      })}
    </div>
  );
}

function dataOf({ times, series, isStacked }: TimeChartProps): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1_000);
  if (!isStacked) return [seconds, ...series.map(({ values }) => [...values])];
  // Drawn from the top layer down, each over the sum of those above it.
  const sums: number[][] = [];
  series.forEach(({ values }, layer) => {
    sums.push(values.map((value, index) => (value ?? 0) + (sums[layer - 1]?.[index] ?? 0)));
  });
  return [seconds, ...sums.reverse()];
}

type Setting = { language: string; width: number; onHover: (hover: Hover | undefined) => void };

function optionsOf(props: TimeChartProps, { language, width, onHover }: Setting): uPlot.Options {
  const { series, isStacked, times, step, format } = props;
  const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2_000;
  const layers = isStacked ? [...series].reverse() : series;
  const axis = {
    stroke: token('--soft'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  };
  return {
    width,
    height: CHART_HEIGHT,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !isStacked } },
    scales: {
      // Half a step of room, so that the first and the last bar are whole.
      x: { time: true, range: (_plot, low, high) => (isStacked ? [low - half, high + half] : [low, high]) },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 26,
        values: (_plot, ticks) => ticks.map((tick) => formatStep(tick * 1_000, step, language)),
      },
      { ...axis, size: AXIS_WIDTH, space: 36, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [{}, ...layers.map((layer) => seriesOf(layer, isStacked === true, times.length, width))],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left } }) =>
          onHover(
            idx === null || idx === undefined || left === undefined || left < 0
              ? undefined
              : { index: idx, left: left + AXIS_WIDTH },
          ),
      ],
    },
  };
}

function seriesOf(
  { label, color, isDashed }: TimeChartProps['series'][number],
  isBar: boolean,
  count: number,
  width: number,
): uPlot.Series {
  const stroke = token(color);
  if (!isBar)
    return {
      label,
      stroke,
      width: 2,
      spanGaps: false,
      // A value without neighbours has no line to be seen by.
      points: { show: true, size: 6, fill: stroke, filter: (plot, index) => lonelyIndices(plot.data[index]) },
      ...(isDashed && { dash: [5, 4] }),
    };
  const gap = width / Math.max(1, count) > 6 ? 0.72 : 0.9;
  return {
    label,
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [gap, 40], radius: 0.12 }) }),
  };
}

/** Places of values with nothing before and after. */
function lonelyIndices(values: ArrayLike<number | null | undefined> = []): number[] {
  return Array.from(values).flatMap((value, index, all) =>
    value != null && all[index - 1] == null && all[index + 1] == null ? [index] : [],
  );
}

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
