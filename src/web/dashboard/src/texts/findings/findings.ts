import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Language } from '../texts.tsx';

export type FindingCode = components['schemas']['Finding']['code'];

/** Title, detail and remedy, with the placeholders of the English ones. */
export type FindingTexts = Readonly<
  Record<FindingCode, readonly [title: string, detail: string, remedy: string]>
>;

/** What evidence is called, by the API's English word for it. */
export type EvidenceLabels = Readonly<Record<string, string>>;

export type FindingLanguage = {
  readonly findings: Partial<FindingTexts>;
  readonly evidenceLabels: EvidenceLabels;
};

/** The findings in one language; empty for English, which the API itself speaks. */
export async function loadFindingTexts(language: Language): Promise<FindingLanguage> {
  if (language === 'de') return await import('./de.ts');
  if (language === 'es') return await import('./es.ts');
  return { findings: {}, evidenceLabels: {} };
}
