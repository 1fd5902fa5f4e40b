import type { components } from '../../../../../clients/node/src/api.ts';
import { loadScript } from '../api/load-script.ts';
import { fillIn, type Values } from './fill-in.ts';
import type { Language } from './language.ts';

export type FindingCode = components['schemas']['Finding']['code'];

/** A sentence, or one for each plural category of the language (Unicode CLDR), which the parameter `count` chooses. */
type Wording = string | (Readonly<Record<string, string>> & { readonly other: string });

export type FindingTexts = {
  /** Title, detail and remedy, with the placeholders of the API's English ones. */
  readonly findings: Partial<
    Readonly<Record<FindingCode, readonly [title: string, detail: Wording, remedy: string]>>
  >;
  /** What evidence is called, by the API's English word for it. */
  readonly evidenceLabels: Readonly<Record<string, string>>;
};

const TRANSLATIONS = import.meta.glob<FindingTexts>('../../../../../locales/dashboard/*/findings.json', {
  import: 'default',
});

/** The findings in one language; in English those of the API, with remedies that name what the pages have. */
export async function loadFindingTexts(language: Language): Promise<FindingTexts> {
  const load = TRANSLATIONS[`../../../../../locales/dashboard/${language}/findings.json`];
  if (load !== undefined) return loadScript(load);
  const { ENGLISH_FINDINGS: findings } = await loadScript(() => import('./english-findings.ts'));
  return { findings, evidenceLabels: {} };
}

/** A finding's words with its values, in the form that fits their `count`. */
export function wordFinding(
  [title, detail, remedy]: readonly [title: string, detail: Wording, remedy: string],
  values: Values,
  language: Language,
): { readonly title: string; readonly detail: string; readonly remedy: string } {
  const say = (template: string) => capitalize(fillIn(template, values));
  return { title, detail: say(chooseForm(detail, values, language)), remedy: say(remedy) };
}

function chooseForm(wording: Wording, { count }: Values, language: Language): string {
  if (typeof wording === 'string') return wording;
  return wording[new Intl.PluralRules(language).select(Number(count))] ?? wording.other;
}

/** A sentence may begin with a value that is written small elsewhere. An address stays as it is. */
function capitalize(sentence: string): string {
  return /^\p{Ll}+ /u.test(sentence) ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence;
}
