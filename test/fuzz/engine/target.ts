import type fc from 'fast-check';
import type { z } from 'zod';
import type { Answer } from './answers.ts';
import type { FuzzStage } from './stage.ts';

export type Observation = {
  /** All that the input was answered. */
  readonly answers: readonly Answer[];
  /** What this target's own properties say; none where they hold. */
  readonly faults: readonly string[];
};

/** One kind of input of strangers. */
export type Target<Input> = {
  readonly name: string;
  /** What an input of the corpus has to be. */
  readonly schema: z.ZodType<Input>;
  readonly inputs: fc.Arbitrary<Input>;
  /** Codes of answers with 500 and above that are right here; every other one is a finding. */
  readonly statedFaults: ReadonlySet<string>;
  /** How many inputs `npm test` sends. */
  readonly shortCount: number;
  /** How many requests one input makes, where these are several: each of them may take the loop's thread its time. */
  readonly requests?: number;
  send(stage: FuzzStage, input: Input): Promise<Observation>;
};
