import fc from 'fast-check';
import { keepInput, readCorpus } from './corpus.ts';
import { describeBehaviour, judgeAnswers, readCode } from './judge.ts';
import type { FuzzStage } from './stage.ts';
import type { Observation, Target } from './target.ts';

export type Finding = {
  readonly target: string;
  /** What does not hold. */
  readonly faults: readonly string[];
  /** The least input that brings it about, as the corpus writes it. */
  readonly input: string;
  /** `--seed` and path by which fast-check makes it again; a file's name for one of the corpus. */
  readonly replay: string;
};

export function describeFinding({ target, faults, input, replay }: Finding): string {
  return [`${target}, ${replay}:`, ...faults.map((fault) => `  ${fault}`), `  ${input}`].join('\n');
}

export type FuzzReport = {
  readonly inputs: number;
  readonly findings: readonly Finding[];
  /** Behaviours that no input before has shown. */
  readonly behaviours: ReadonlySet<string>;
  /** The most processor time of the gateway's thread for one input, with that input. */
  readonly worst: { readonly loopMs: number; readonly input: string };
};

export type FuzzOptions = {
  readonly seed: number;
  /** Inputs at most. */
  readonly count: number;
  /** Stops after the input that is under way. */
  readonly isOver?: () => boolean;
  /** Writes what shows a new behaviour, or found something, into the corpus. */
  readonly isKeeping?: boolean;
  /** Behaviours that are known already; grows. */
  readonly known?: Set<string>;
};

/** A target with its inputs' type left out, so that all can stand in one list. */
export type BoundTarget = {
  readonly name: string;
  readonly shortCount: number;
  /** Sends what the corpus has. */
  replay(stage: FuzzStage, known?: Set<string>): Promise<FuzzReport>;
  fuzz(stage: FuzzStage, options: FuzzOptions): Promise<FuzzReport>;
};

export function bindTarget<Input>(target: Target<Input>): BoundTarget {
  return {
    name: target.name,
    shortCount: target.shortCount,
    replay: (stage, known = new Set()) => replayCorpus(target, stage, known),
    fuzz: (stage, options) => fuzz(target, stage, options),
  };
}

type Tried = { readonly faults: readonly string[]; readonly behaviour: string; readonly loopMs: number };

/** What one turn of the gateway's thread may take; an input that takes more is tried again. */
const LOOP_MS_MAX = 50;
const TRIES = 5;

/** Of a machine that is busy, and no fault of an input that gets another answer the next time. */
const SECOND_CHANCES = 2;

/** Sends one input and judges all that holds for every input. */
async function tryInput<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  input: Input,
  chances = SECOND_CHANCES,
): Promise<Tried> {
  const before = (await stage.readLoopMs?.()) ?? 0;
  const observed = await target
    .send(stage, input)
    .catch((error: unknown): Observation => ({ answers: [], faults: [String(error)] }));
  const loopMs = ((await stage.readLoopMs?.()) ?? 0) - before;
  const faults = [...judgeAnswers(stage, target, observed), ...stage.takeFaults()];
  const isStoreAway = observed.answers.some((answer) => readCode(answer) === 'store_unavailable');
  if (isStoreAway && chances > 0) return tryInput(target, stage, input, chances - 1);
  return { faults, behaviour: describeBehaviour(observed), loopMs };
}

/** The least time of several tries: the first may have compiled code, or collected garbage. */
async function measureAgain<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  input: Input,
  first: number,
): Promise<number> {
  let least = first;
  for (let attempt = 1; attempt < TRIES && least > LOOP_MS_MAX; attempt += 1)
    least = Math.min(least, (await tryInput(target, stage, input)).loopMs);
  return least;
}

async function replayCorpus<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  known: Set<string>,
): Promise<FuzzReport> {
  const findings: Finding[] = [];
  const corpus = readCorpus(target.name, target.schema);
  const worst = createWorst();
  for (const { name, input } of corpus) {
    const { faults, behaviour, loopMs } = await tryInput(target, stage, input);
    known.add(behaviour);
    worst.note(await measureAgain(target, stage, input, loopMs), input);
    if (faults.length > 0)
      findings.push({ target: target.name, faults, input: JSON.stringify(input), replay: name });
  }
  return { inputs: corpus.length, findings, behaviours: known, worst: worst.read() };
}

function createWorst() {
  let worst = { loopMs: 0, input: '' };
  return {
    note(loopMs: number, input: unknown): void {
      if (loopMs > worst.loopMs) worst = { loopMs, input: JSON.stringify(input).slice(0, 2_000) };
    },
    read: () => worst,
  };
}

/** Enough to see what is wrong; each more costs the shrinking of its input. */
const FINDINGS_MAX = 5;

/** Sends inputs of a seed. What shows something new, or what does not hold, is made small by fast-check's shrinking. */
async function fuzz<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  options: FuzzOptions,
): Promise<FuzzReport> {
  const { seed, count, isOver = () => false, isKeeping = false, known = new Set() } = options;
  const findings: Finding[] = [];
  const fresh = new Set<string>();
  const worst = createWorst();
  let inputs = 0;
  for (const [index, input] of fc.sample(target.inputs, { seed, numRuns: count }).entries()) {
    if (isOver() || findings.length >= FINDINGS_MAX) break;
    const tried = await tryInput(target, stage, input);
    inputs += 1;
    const loopMs = await measureAgain(target, stage, input, tried.loopMs);
    worst.note(loopMs, input);
    const held = loopMs > LOOP_MS_MAX ? [`the event loop was held for ${loopMs.toFixed(0)} ms`] : [];
    const faults = [...tried.faults, ...held];
    if (faults.length > 0) {
      const least = await shrink(target, { seed, index, input }, async (one) => {
        const again = await tryInput(target, stage, one);
        return held.length > 0
          ? (await measureAgain(target, stage, one, again.loopMs)) > LOOP_MS_MAX
          : again.faults.length > 0;
      });
      findings.push({
        target: target.name,
        faults,
        input: JSON.stringify(least),
        replay: `--seed ${seed}, input ${index}`,
      });
      if (isKeeping) keepInput(target.name, least, `found: ${faults.join('; ')}`);
    } else if (!known.has(tried.behaviour)) {
      known.add(tried.behaviour);
      fresh.add(tried.behaviour);
      if (!isKeeping) continue;
      const shows = async (one: Input) => (await tryInput(target, stage, one)).behaviour === tried.behaviour;
      keepInput(target.name, await shrink(target, { seed, index, input }, shows), tried.behaviour);
    }
  }
  return { inputs, findings, behaviours: fresh, worst: worst.read() };
}

const SHRINKING_MS = 10_000;

/** The smallest input, found by fast-check from this one, for which the same still holds. */
async function shrink<Input>(
  target: Target<Input>,
  { seed, index, input }: { readonly seed: number; readonly index: number; readonly input: Input },
  holds: (input: Input) => Promise<boolean>,
): Promise<Input> {
  let isFirst = true;
  const property = fc.asyncProperty(target.inputs, async (one) => {
    // Else an input that shows it only now and then would end the search with another one.
    if (isFirst) {
      isFirst = false;
      return false;
    }
    return !(await holds(one));
  });
  const { counterexample } = await fc.check(property, {
    seed,
    path: String(index),
    numRuns: index + 1,
    interruptAfterTimeLimit: SHRINKING_MS,
  });
  return counterexample?.[0] ?? input;
}
