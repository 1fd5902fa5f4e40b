import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Language } from '../texts.tsx';

export type FindingCode = components['schemas']['Finding']['code'];

/** Title, detail and remedy, with the placeholders of the English ones. */
export type FindingTexts = Readonly<
  Record<FindingCode, readonly [title: string, detail: string, remedy: string]>
>;

/** The findings in one language; undefined for English, which the API itself speaks. */
export async function loadFindingTexts(language: Language): Promise<Partial<FindingTexts>> {
  if (language === 'de') return (await import('./de.ts')).findings;
  if (language === 'es') return (await import('./es.ts')).findings;
  return {};
}
