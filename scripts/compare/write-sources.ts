import type { Source } from '../../src/catalog/schema/provider-standing.schema.ts';
import type { Opinion } from './judge.ts';
import { ORIGINS } from './origins.ts';

const SOURCES_MAX = 8;
const BLOCK = /^(?:evidence: .*\n|checked: .*\n|sources:\n(?: {2}- .*\n)+)/gm;

/** One source of each origin, the one that confirms most; the provider's own documents first. */
export function listSources(opinions: readonly Opinion[], date: string): Source[] {
  const best = new Map<string, Opinion>();
  for (const opinion of opinions) {
    if (opinion.agrees.length === 0) continue;
    const key = opinion.record.isVendor ? 'vendor' : opinion.record.origin;
    const other = best.get(key);
    if (other === undefined || other.agrees.length < opinion.agrees.length) best.set(key, opinion);
  }
  return [...best.values()]
    .toSorted((left, right) => right.agrees.length - left.agrees.length)
    .toSorted((left, right) => Number(right.record.isVendor) - Number(left.record.isVendor))
    .slice(0, SOURCES_MAX)
    .map(({ record, agrees }) => ({
      from: record.from,
      says: [...agrees],
      date,
      ...(record.isVendor && { by: 'vendor' as const }),
    }));
}

/** The text of a provider file with these sources in the place of its label; those that were written by hand stay. */
export function withSources(text: string, found: readonly Source[], date: string): string {
  const written = new Set(found.map(({ from }) => from));
  const kept = [...text.matchAll(/^ {2}- \{ from: "?([^"\s]+?)"?, .*$/gm)].flatMap(([line, from = '']) =>
    written.has(from) || isReadHere(from) ? [] : [line],
  );
  const lines = [...found.map(lineOf), ...kept];
  const block =
    lines.length === 0
      ? `checked: ${date}\nevidence: transcribed\n`
      : `checked: ${date}\nsources:\n${lines.join('\n')}\n`;
  return text.replace(BLOCK, '').replace(/^auth: .*\n/m, (line) => `${line}${block}`);
}

function lineOf({ from, says, date, by }: Source): string {
  return `  - { from: ${JSON.stringify(from)}, says: [${says.join(', ')}], date: ${date}${by ? `, by: ${by}` : ''} }`;
}

/** Whether a source is one that this comparison writes, in an earlier version. */
function isReadHere(from: string): boolean {
  const path = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\/[0-9a-f]+\/(.+)$/.exec(from);
  const [, owner] = /^https:\/\/github\.com\/([^/]+)\/[^/]+$/.exec(from) ?? [];
  if (ORIGINS.some((origin) => origin.from === `${owner}/*`)) return true;
  return ORIGINS.some((origin) =>
    origin.kind === 'package'
      ? from.startsWith(`${origin.from}@`)
      : origin.from === path?.[1] && origin.paths.some((each) => path[2]?.startsWith(each)),
  );
}
