import { setTimeout as pause } from 'node:timers/promises';
import { startStatementProxy, type Verdict } from './statement-proxy.ts';

/** Longer than the pauses of everything that a gateway without work asks of its store often. */
const IDLE_MS = 7_000;
/** A process that is killed over these has left the same behind as one step earlier. */
const CHANGES_NOTHING = /^(?:select|show|set|begin|start transaction|rollback|listen)\b/i;
/** Numbers of use, of calls and of limits, and what ends by itself: every process writes them now and then. */
const BACKGROUND =
  /last_used_at|last_worked_at|call_(?:counts|rollups|series)|recent_calls|stored_amounts|limit_ledger|"approvals"|agent_consents/i;
/** A step that depends on timing may not come in a run. */
const TRIES = 2;

export type Killed = { readonly step: string; readonly run: number };

export type KillReport = {
  readonly kills: readonly Killed[];
  /** Steps that did not come again: another statement came in their place. */
  readonly unreached: readonly string[];
  readonly runs: number;
};

/** Says that a step of the test's own (a request has arrived, an answer has left) is reached. */
export type Reach = (step: string) => Verdict;

export type Victim = { kill(): Promise<unknown> };

export type KillOptions<Started extends Victim> = {
  readonly databaseUrl: string;
  /** Starts a process whose store is at `url`. One that is killed before it is ready is killed by the signal. */
  start(url: string, run: number, reach: Reach, signal: AbortSignal): Promise<Started>;
  /**
   * Has the process do what it is killed over, and resolves when that is done. A rejection counts only where nothing was killed. What waits
   * ends with the signal: its process is gone.
   */
  flow(victim: Started, run: number, reach: Reach, signal: AbortSignal): Promise<unknown>;
  /** The flow begins with the process, not when it is ready. */
  readonly isFlowOfStart?: boolean;
  /** Everything that the process does is the flow. */
  readonly hasNoNoise?: boolean;
  /** Statements that a process without work makes as well, and that are steps of the flow all the same. */
  readonly alsoSteps?: RegExp;
};

/**
 * Kills a process at every step of a flow, one process for each: before each statement, when the store has executed it for good and its
 * answer is on its way, and where the test says that a step is reached. The steps are those of a first run that is left alone, and
 * those that come up in the runs after it, without statements that only read. What a process does without the flow is no step. Nothing in the product knows of it.
 */
export async function killAtEveryStep<Started extends Victim>(
  options: KillOptions<Started>,
): Promise<KillReport> {
  const steps = new Steps(options.alsoSteps);
  if (options.hasNoNoise !== true)
    await steps.learnNoise((isIdle) => runOnce(options, steps, 0, undefined, isIdle));
  let run = 1;
  await runOnce(options, steps, run, undefined, false);
  const kills: Killed[] = [];
  const unreached: string[] = [];
  for (const step of steps.known) {
    let isKilled = false;
    for (let tries = 0; tries < TRIES && !isKilled; tries += 1) {
      run += 1;
      isKilled = await runOnce(options, steps, run, step, false);
      if (isKilled) kills.push({ step, run });
    }
    if (!isKilled) unreached.push(step);
  }
  process.stderr.write(`${kills.length} kills in ${run} runs\n`);
  return { kills, unreached, runs: run };
}

/** One process from its start to its end. Answers whether it was killed. */
async function runOnce<Started extends Victim>(
  options: KillOptions<Started>,
  steps: Steps,
  run: number,
  step: string | undefined,
  isIdle: boolean,
): Promise<boolean> {
  const { isFlowOfStart = false } = options;
  let victim: Started | undefined;
  const over = new AbortController();
  const killed = Promise.withResolvers<true>();
  steps.arm(isFlowOfStart ? step : undefined, isFlowOfStart && !isIdle, () => {
    over.abort();
    void (victim?.kill() ?? Promise.resolve()).then(() => killed.resolve(true));
  });
  const proxy = await startStatementProxy(options.databaseUrl, (statement, phase) =>
    (CHANGES_NOTHING.test(statement) || BACKGROUND.test(statement)) && !steps.isFired
      ? 'go on'
      : steps.reach(`${phase}: ${statement}`),
  );
  try {
    const starting = options.start(proxy.url, run, steps.reach, over.signal).then((started) => {
      victim = started;
      return started;
    });
    starting.catch(() => undefined);
    const started = await Promise.race([starting, killed.promise]);
    if (started === true) {
      await starting.then((late) => late.kill()).catch(() => undefined);
      return true;
    }
    if (isIdle) await pause(IDLE_MS);
    else {
      steps.arm(step, true);
      const flow = options.flow(started, run, steps.reach, over.signal);
      flow.catch(() => undefined);
      await Promise.race([flow, killed.promise]).catch((error: unknown) => {
        if (!steps.isFired) throw error;
      });
    }
    if (steps.isFired) await killed.promise;
    else steps.disarm();
    return steps.isFired;
  } finally {
    over.abort();
    // It would only wait for its store.
    if (steps.isFired) proxy.cut();
    await victim?.kill();
    await proxy.close();
  }
}

class Steps {
  /** In the order in which they came up. */
  readonly known = new Set<string>();
  readonly #noise = new Set<string>();
  readonly #alsoSteps: RegExp | undefined;
  #armed: string | undefined;
  #isRecording = false;
  #isLearningNoise = false;
  #onFire: () => void = () => undefined;
  isFired = false;

  constructor(alsoSteps: RegExp | undefined) {
    this.#alsoSteps = alsoSteps;
  }

  async learnNoise(run: (isIdle: boolean) => Promise<unknown>): Promise<void> {
    this.#isLearningNoise = true;
    await run(true);
    this.#isLearningNoise = false;
  }

  arm(step: string | undefined, isRecording: boolean, onFire?: () => void): void {
    if (onFire !== undefined) {
      this.#onFire = onFire;
      this.isFired = false;
    }
    this.#armed = step;
    this.#isRecording = isRecording && !this.#isLearningNoise;
  }

  disarm(): void {
    this.#armed = undefined;
    this.#isRecording = false;
  }

  readonly reach: Reach = (step) => {
    if (this.isFired) return 'break off';
    if (this.#isLearningNoise && this.#alsoSteps?.test(step) !== true) this.#noise.add(step);
    if (this.#isRecording && !this.#noise.has(step)) this.known.add(step);
    if (!this.#isRecording || step !== this.#armed) return 'go on';
    this.isFired = true;
    this.#onFire();
    return 'break off';
  };
}
