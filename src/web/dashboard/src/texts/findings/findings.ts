import type { Language } from '../language.ts';
import type { EvidenceLabels, FindingTexts } from './finding-texts.ts';

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
