import fc from 'fast-check';
import { keepInput, readCorpus } from './corpus.ts';
import { describeBehaviours, judgeAnswers, readCode } from './judge.ts';
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

type Tried = {
  readonly faults: readonly string[];
  readonly behaviours: readonly string[];
  readonly loopMs: number;
};

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
  { isReadingLogs = true, chances = SECOND_CHANCES } = {},
): Promise<Tried> {
  const before = (await stage.readLoopMs?.()) ?? 0;
  const observed = await target
    .send(stage, input)
    .catch((error: unknown): Observation => ({ answers: [], faults: [String(error)] }));
  const usedMs = ((await stage.readLoopMs?.()) ?? 0) - before;
  const faults = [...judgeAnswers(stage, target, observed), ...(isReadingLogs ? stage.takeFaults() : [])];
  const isStoreAway = observed.answers.some((answer) => readCode(answer) === 'store_unavailable');
  if (isStoreAway && chances > 0) {
    stage.takeFaults();
    return tryInput(target, stage, input, { isReadingLogs, chances: chances - 1 });
  }
  return { faults, behaviours: describeBehaviours(observed), loopMs: usedMs / (target.requests ?? 1) };
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
    const { faults, behaviours, loopMs } = await tryInput(target, stage, input);
    for (const behaviour of behaviours) known.add(behaviour);
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
/** Inputs between two readings of the log, which is one text that grows. */
const LOGS_EVERY = 25;

type Sample<Input> = { readonly seed: number; readonly index: number; readonly input: Input };

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
  const unread: Sample<Input>[] = [];
  let inputs = 0;
  for (const [index, input] of fc.sample(target.inputs, { seed, numRuns: count }).entries()) {
    if (isOver() || findings.length >= FINDINGS_MAX) break;
    const sample = { seed, index, input };
    const tried = await tryInput(target, stage, input, { isReadingLogs: false });
    inputs += 1;
    const loopMs = await measureAgain(target, stage, input, tried.loopMs);
    worst.note(loopMs, input);
    const faults = [...tried.faults, ...explainHeld(loopMs)];
    if (faults.length > 0) findings.push(await explainFaults(target, stage, sample, faults));
    else
      for (const behaviour of tried.behaviours.filter((one) => !known.has(one))) {
        known.add(behaviour);
        fresh.add(behaviour);
        if (isKeeping) await keepBehaviour(target, stage, sample, behaviour);
      }
    if (unread.push(sample) === LOGS_EVERY)
      findings.push(...(await readLogs(target, stage, unread.splice(0))));
  }
  findings.push(...(await readLogs(target, stage, unread)));
  if (isKeeping)
    for (const { input, faults } of findings)
      keepInput(target.name, JSON.parse(input), `found: ${faults.join('; ')}`);
  return { inputs, findings, behaviours: fresh, worst: worst.read() };
}

const explainHeld = (loopMs: number): string[] =>
  loopMs > LOOP_MS_MAX ? [`the event loop was held for ${loopMs.toFixed(0)} ms`] : [];

async function explainFaults<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  sample: Sample<Input>,
  faults: readonly string[],
): Promise<Finding> {
  const least = await shrink(target, sample, async (one) => {
    const again = await tryInput(target, stage, one);
    return again.faults.length > 0 || (await measureAgain(target, stage, one, again.loopMs)) > LOOP_MS_MAX;
  });
  const replay = `--seed ${sample.seed}, input ${sample.index}`;
  return { target: target.name, faults, input: JSON.stringify(least), replay };
}

async function keepBehaviour<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  sample: Sample<Input>,
  behaviour: string,
): Promise<void> {
  const shows = async (one: Input) => (await tryInput(target, stage, one)).behaviours.includes(behaviour);
  keepInput(target.name, await shrink(target, sample, shows), behaviour);
}

/** What the log says since the last reading, with the input that makes it say so again. */
async function readLogs<Input>(
  target: Target<Input>,
  stage: FuzzStage,
  samples: readonly Sample<Input>[],
): Promise<Finding[]> {
  const faults = stage.takeFaults();
  const [first] = samples;
  if (faults.length === 0 || first === undefined) return [];
  for (const sample of samples) {
    const again = await tryInput(target, stage, sample.input);
    if (again.faults.length > 0) return [await explainFaults(target, stage, sample, again.faults)];
  }
  const replay = `--seed ${first.seed}, one of the inputs from ${first.index} on`;
  return [{ target: target.name, faults, input: JSON.stringify(first.input), replay }];
}

const SHRINKING_MS = 10_000;

/** The smallest input, found by fast-check from this one, for which the same still holds. */
async function shrink<Input>(
  target: Target<Input>,
  { seed, index, input }: Sample<Input>,
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
