import type { Texts } from '../../texts/area-texts.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "1 day", "2 hours": the largest unit that divides it, in the texts' language. */
export function formatSpan(seconds: number, { activity }: Pick<Texts, 'activity'>): string {
  const [unit, size] =
    UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? (['second', 1] as const);
  const format = new Intl.NumberFormat(activity.locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(seconds / size);
}
