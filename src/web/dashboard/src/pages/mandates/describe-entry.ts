import type { Texts } from '../../texts/area-texts.ts';
import type { Entry } from './mandate.ts';

type Words = Texts['mandates'];
type Naming = {
  readonly words: Words;
  readonly language: string;
  readonly nameOf: (provider: string) => string;
};

/** What an entry allows, in sentences; its paths are listed beside them. */
export function describeEntry(entry: Entry, { words, language, nameOf }: Naming): string[] {
  const { says } = words;
  const { methods, paths, hosts, connectionId, approval, perHour } = entry;
  return [
    says[entry.access](nameOf(entry.provider)),
    ...(methods === undefined ? [] : [says.methods(joinWords(methods, language))]),
    ...(hosts === undefined ? [] : [says.hosts(joinWords(hosts, language))]),
    ...(connectionId === undefined ? [] : [says.connection(connectionId)]),
    ...(approval === 'none' ? [] : [says.approval[approval]]),
    ...(perHour === undefined ? [] : [says.perHour(perHour)]),
    paths === undefined ? says.allPaths : says.paths(paths.length),
  ];
}

/** The same in some words, for a row of a list. */
export function summarizeEntry(entry: Entry, { words, language, nameOf }: Naming): string {
  const { brief } = words;
  const { methods, paths, approval, perHour } = entry;
  const limits = [
    ...(methods === undefined ? [] : [joinWords(methods, language)]),
    ...(paths === undefined ? [] : [brief.paths(paths.length)]),
    ...(approval === 'none' ? [] : [brief.approval]),
    ...(perHour === undefined ? [] : [brief.perHour(perHour)]),
  ];
  const what = brief[entry.access](nameOf(entry.provider));
  return limits.length === 0 ? what : `${what} (${limits.join(', ')})`;
}

const SUMMARIZED_MAX = 2;

/** What a mandate allows, in one line. */
export function summarize(entries: readonly Entry[], naming: Naming): string {
  const shown = entries.slice(0, SUMMARIZED_MAX).map((entry) => summarizeEntry(entry, naming));
  const left = entries.length - shown.length;
  return [...shown, ...(left > 0 ? [naming.words.brief.more(left)] : [])].join('; ');
}

function joinWords(words: readonly string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(words);
}

/** The sentences in which the API says why an entry does not allow a call, by the names of our own. */
const REASONS: Readonly<Record<string, keyof Words['reasons']>> = {
  'the mandate names another connection': 'connection',
  'the mandate does not name this host': 'host',
  'the mandate does not name this method': 'method',
  'the mandate does not name this path': 'path',
  'the mandate allows reading alone': 'reading',
  'the body of the call has to be read first': 'body',
  'a batch carries other requests inside, and the mandate does not name its path in full': 'batch',
};

/** Why an entry does not allow a call; the API's own English words where there are no others. */
export function nameReason(reason: string | null, { reasons }: Words): string {
  if (reason === null) return '';
  if (reason.startsWith('the entry is for ') || reason.startsWith('no entry is for '))
    return reasons.provider;
  const known = REASONS[reason];
  return known === undefined ? reason : reasons[known];
}
