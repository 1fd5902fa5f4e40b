import { FINDING_TEXTS, type FindingText } from '../../../../diagnosis/finding-texts.ts';
import type { FindingTexts } from './finding-texts.ts';

const entries = Object.entries<FindingText>(FINDING_TEXTS);

/** What the API says, but for remedies that name members of its requests: pages have fields and buttons. */
export const ENGLISH_FINDINGS: FindingTexts = {
  findings: Object.fromEntries(
    entries.map(([code, { title, detail, remedy, pageRemedy = remedy }]) => [
      code,
      [title, detail, pageRemedy],
    ]),
  ),
  evidenceLabels: {},
};
