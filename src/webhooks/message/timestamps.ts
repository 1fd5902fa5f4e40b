export type TimestampUnit = 'seconds' | 'milliseconds' | 'iso';

const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$/;

/** The moment that a text tells, in milliseconds since 1970; undefined where it tells none. Without a zone it is UTC. */
export function parseMoment(text: string, unit: TimestampUnit): number | undefined {
  if (unit === 'iso') return parseIso(text);
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return undefined;
  const number = Number(text);
  return Math.round(unit === 'seconds' ? number * 1000 : number);
}

function parseIso(text: string): number | undefined {
  if (!ISO.test(text)) return undefined;
  const normal = text.replace(' UTC', 'Z').replace(' ', 'T').replace(' ', '');
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(normal.slice(10));
  const moment = Date.parse(hasZone ? normal : `${normal}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}

/** The text of a moment as a provider writes it. */
export function writeMoment(nowMs: number, unit: TimestampUnit): string {
  if (unit === 'iso') return new Date(nowMs).toISOString();
  return String(unit === 'seconds' ? Math.floor(nowMs / 1000) : nowMs);
}
