import type { components } from '../../../../../clients/node/src/api.ts';
import type { Language } from './language.ts';

export type FindingCode = components['schemas']['Finding']['code'];

export type FindingTexts = {
  /** Title, detail and remedy, with the placeholders of the API's English ones. */
  readonly findings: Partial<
    Readonly<Record<FindingCode, readonly [title: string, detail: string, remedy: string]>>
  >;
  /** What evidence is called, by the API's English word for it. */
  readonly evidenceLabels: Readonly<Record<string, string>>;
};

const TRANSLATIONS = import.meta.glob<FindingTexts>('../../../../../locales/dashboard/*/findings.json', {
  import: 'default',
});

/** The findings in one language; empty for English, which the API itself speaks. */
export async function loadFindingTexts(language: Language): Promise<FindingTexts> {
  const load = TRANSLATIONS[`../../../../../locales/dashboard/${language}/findings.json`];
  return load === undefined ? { findings: {}, evidenceLabels: {} } : await load();
}
