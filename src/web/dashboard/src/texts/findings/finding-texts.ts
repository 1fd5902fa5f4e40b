import type { components } from '../../../../../../clients/node/src/api.ts';

export type FindingCode = components['schemas']['Finding']['code'];

/** Title, detail and remedy, with the placeholders of the English ones. */
export type FindingTexts = Readonly<
  Record<FindingCode, readonly [title: string, detail: string, remedy: string]>
>;

/** What evidence is called, by the API's English word for it. */
export type EvidenceLabels = Readonly<Record<string, string>>;
