import { FINDING_TEXTS, type FindingText, type Wording } from '../../../../diagnosis/finding-texts.ts';

type Words = readonly [title: string, detail: Wording, remedy: string];

const entries = Object.entries<FindingText>(FINDING_TEXTS);

/** What the API says, but for remedies that name members of its requests: pages have fields and buttons. */
export const ENGLISH_FINDINGS: Readonly<Record<string, Words>> = Object.fromEntries(
  entries.map(([code, { title, detail, remedy, pageRemedy = remedy }]) => [
    code,
    [title, detail, pageRemedy] satisfies Words,
  ]),
);
