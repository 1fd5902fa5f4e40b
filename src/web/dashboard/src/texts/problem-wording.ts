import { ERRORS } from '../../../../http/error-codes.ts';
import type { ErrorEntry } from '../../../../http/error-tables/entry.ts';
import { loadScript } from '../api/load-script.ts';
import type { Problem } from '../api/problem.ts';
import type { Language } from './language.ts';
import { createFaultWords, type FaultTexts } from './word-fault.ts';

type Words = readonly [title: string, detail: string, remedy: string];

/** What a page says of a refusal. */
export type WordedProblem = Pick<Problem, 'title' | 'detail' | 'remedy'> & {
  /** Titles and remedies are translated together. */
  readonly isTranslated: boolean;
  readonly isDetailTranslated: boolean;
};

export type WordedFault = {
  /** As the API says it. */
  readonly line: string;
  /** As a page shows it, with the line break before it. */
  readonly words: string;
  readonly lang: 'en' | undefined;
};

export type ProblemWording = {
  readonly wordProblem: (problem: Problem) => WordedProblem;
  /** What to do about an entry of the API's table; undefined where it has no translation. */
  readonly wordRemedy: (name: string) => string | undefined;
  /** Of a text with a line for each fault, which may begin with the member that it is about. */
  readonly wordFaults: (text: string) => readonly WordedFault[];
};

const FOLDER = '../../../../../locales/dashboard';
const CODES = import.meta.glob<Readonly<Record<string, Words>>>(
  [
    '../../../../../locales/dashboard/*/problems/*.json',
    '!../../../../../locales/dashboard/*/problems/messages.json',
  ],
  { import: 'default' },
);
const MESSAGES = import.meta.glob<FaultTexts>('../../../../../locales/dashboard/*/problems/messages.json', {
  import: 'default',
});

/** The words of refusals in a language; undefined in the API's own. */
export async function loadWording(language: Language): Promise<ProblemWording | undefined> {
  const loadMessages = MESSAGES[`${FOLDER}/${language}/problems/messages.json`];
  if (loadMessages === undefined) return undefined;
  const ofLanguage = Object.entries(CODES).filter(([path]) => path.startsWith(`${FOLDER}/${language}/`));
  const [messages, ...codes] = await Promise.all([
    loadScript(loadMessages),
    ...ofLanguage.map(([, load]) => loadScript(load)),
  ]);
  const words: Readonly<Record<string, Words>> = Object.assign({}, ...codes);
  const wordFault = createFaultWords(messages);
  return {
    wordProblem: (problem) => wordProblem(problem, words),
    wordRemedy: (name) => words[name]?.[2],
    wordFaults: (text) => wordFaults(text, wordFault),
  };
}

/** The member that a fault is about, where it stands before the message. */
const MEMBER = /^([\w.-]+: )(.+)$/s;

function wordFaults(
  text: string,
  wordFault: (message: string) => string | undefined,
): readonly WordedFault[] {
  return [...new Set(text.split('\n'))].map((line, index) => {
    const [, member = '', message = line] = MEMBER.exec(line) ?? [];
    const ofMember = wordFault(message);
    const worded = wordFault(line) ?? (ofMember === undefined ? undefined : member + ofMember);
    const lang = worded === undefined ? 'en' : undefined;
    return { line, words: (index > 0 ? '\n' : '') + (worded ?? line), lang };
  });
}

function wordProblem(problem: Problem, words: Readonly<Record<string, Words>>): WordedProblem {
  const { title, detail, remedy } = problem;
  const [name, entry] = findEntry(problem) ?? [];
  const found = name === undefined ? undefined : words[name];
  if (found === undefined) return { title, detail, remedy, isTranslated: false, isDetailTranslated: false };
  const isFixed = detail === entry?.meaning;
  return {
    title: found[0],
    detail: isFixed ? found[1] : detail,
    remedy: found[2],
    isTranslated: true,
    isDetailTranslated: isFixed,
  };
}

/** Two entries of the API's table may have one code, with a status of their own. */
function findEntry({ code, status }: Problem): [name: string, entry: ErrorEntry] | undefined {
  return Object.entries<ErrorEntry>(ERRORS).find(
    ([name, entry]) => (entry.code ?? name) === code && entry.status === status,
  );
}
