import { setTimeout as delay } from 'node:timers/promises';
import type { RecordActivity } from '../activity/record.ts';
import type { Disconnecting } from '../credentials/revoking/disconnecting.ts';
import { deleterSchema } from '../credentials/revoking/erasing.ts';
import {
  countUnrevoked,
  hasUntriedGrants,
  listOutcomes,
} from '../credentials/revoking/erasure-outcomes.store.ts';
import { createIdBound } from '../lib/ids.ts';
import type { RunAgain } from '../platform/job-worker.ts';
import type { Db } from '../platform/postgres/database.ts';
import {
  createErasePages,
  ERASING_PHASES,
  type ErasePagesDependencies,
  type ErasingPhase,
  type PageEnd,
} from './erase-pages.ts';
import {
  countSweep,
  type Erasure,
  findErasureOfAnyProject,
  finishErasure,
  forgetPerson,
  saveProgress,
} from './erasures.store.ts';
import type { SealedPersons } from './sealed-persons.ts';
import type { ErasedPersonFacts } from './walks.store.ts';

const SLICE_MS = 5_000;
/** Between two pages, so that a large erasure leaves the store to others. */
const PAGE_PAUSE_MS = 5;
const REVOCATIONS_PAUSE_MS = 1_000;
/**
 * When late data is looked for, after the end: of what was under way on other replicas, of the longest call, and of tokens
 * that were still good for a day.
 */
const SWEEPS_MS = [60_000, 20 * 60_000, 25 * 3_600_000];
/** Ids begin with a time, and a row may commit somewhat after it was given one. */
const LATE_COMMIT_MS = 15 * 60_000;

/** Where late data is looked for: what may be written without the person's row. */
const FIRST_OF_SWEEP: ErasingPhase = 'activity';
const LAST_OF_SWEEP: ErasingPhase = 'idempotency_keys';

/** After all that erases something: waiting for the providers. */
const LAST_PHASE = 'revocations';

/**
 * The job that erases a person, a page in a transaction, so that a process may die at any point: its row says how far it
 * is. After the end it looks for late data some times, and then forgets who it was.
 */
export function createErasePerson(
  deps: ErasePagesDependencies & {
    readonly db: Db;
    readonly sealed: SealedPersons;
    readonly disconnecting: Pick<Disconnecting, 'hidePerson'>;
    readonly recordActivity: RecordActivity;
    now(): number;
  },
) {
  const { db, sealed } = deps;
  const erasePage = createErasePages(deps);

  async function work(erasureId: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const untilMs = performance.now() + SLICE_MS;
    for (;;) {
      const erasure = await findErasureOfAnyProject(db, erasureId);
      const text = erasure?.personSealed ?? null;
      if (erasure === undefined || text === null) return undefined;
      const pauseMs = await takeStep(erasure, text);
      const isOver = signal.aborted || performance.now() >= untilMs;
      if (pauseMs > PAGE_PAUSE_MS || isOver) {
        return { runAgainAt: new Date(deps.now() + pauseMs), projectId: erasure.projectId };
      }
      await delay(PAGE_PAUSE_MS);
    }
  }

  /** Takes one step, and answers how long the next one has to wait. */
  async function takeStep(erasure: Erasure, text: string): Promise<number> {
    const { id, projectId, pseudonym } = erasure;
    const person = { ...sealed.open(id, projectId, text), erasureId: id, pseudonym };
    const phase = ERASING_PHASES.find((name) => name === erasure.phase);
    if (phase === undefined) return finish(erasure, person);
    const actor = deleterSchema.parse(erasure.requestedBy);
    const end = await erasePage(phase, person, { walked: erasure.walked, since: findSince(erasure), actor });
    if (end === 'over' && erasure.state === 'done' && phase === LAST_OF_SWEEP)
      return endSweep(erasure, person);
    await saveProgress(db, id, nextStep(erasure, phase, end));
    return PAGE_PAUSE_MS;
  }

  async function finish(erasure: Erasure, person: ErasedPersonFacts): Promise<number> {
    const { id, projectId, pseudonym } = erasure;
    // A refresh that was under way brings its tokens here.
    await db.transaction((trx) => deps.disconnecting.hidePerson(trx, person));
    if (await hasUntriedGrants(db, erasure)) return REVOCATIONS_PAUSE_MS;
    const unrevoked = countUnrevoked(await listOutcomes(db, { ...erasure, of: 'user' }));
    await db.transaction(async (trx) => {
      await finishErasure(trx, id, sealed.seal(id, { ...person, userId: null, organization: null }));
      await saveProgress(trx, id, {
        phase: FIRST_OF_SWEEP,
        walked: findBeginning({ ...erasure, state: 'done' }, FIRST_OF_SWEEP),
      });
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'gateway' },
        action: erasure.kind === 'user' ? 'user.erasure_ended' : 'organization.erasure_ended',
        subjectId: pseudonym,
        details: { erasureId: id, unrevoked },
      });
    });
    return SWEEPS_MS[0] ?? 0;
  }

  async function endSweep(erasure: Erasure, person: ErasedPersonFacts): Promise<number> {
    const { id } = erasure;
    await db.transaction((trx) => deps.disconnecting.hidePerson(trx, person));
    const nextMs = SWEEPS_MS[erasure.sweeps + 1];
    await db.transaction(async (trx) => {
      await countSweep(trx, id);
      await saveProgress(trx, id, { phase: FIRST_OF_SWEEP, walked: findBeginning(erasure, FIRST_OF_SWEEP) });
      if (nextMs === undefined) await forgetPerson(trx, id);
    });
    return nextMs ?? 0;
  }

  return work;
}

/** Where the job goes on after a page. */
function nextStep(erasure: Erasure, phase: ErasingPhase, end: PageEnd): Pick<Erasure, 'phase' | 'walked'> {
  if (end === 'again') return { phase: ERASING_PHASES[0], walked: null };
  if (end !== 'over') return { phase, walked: end.walked };
  const following = ERASING_PHASES[ERASING_PHASES.indexOf(phase) + 1] ?? LAST_PHASE;
  return { phase: following, walked: findBeginning(erasure, following) };
}

/** Late data is looked for among what came since the request: all of the rest has been seen. */
function findSince({ state, createdAt }: Erasure): Date | null {
  return state === 'done' ? new Date(createdAt.getTime() - LATE_COMMIT_MS) : null;
}

/** Where a walk through ids of times begins. */
function findBeginning(erasure: Erasure, phase: string): string | null {
  const since = findSince(erasure);
  const isByTime = phase !== 'events' && phase !== 'idempotency_keys';
  return since !== null && isByTime ? createIdBound(since.getTime()) : null;
}
