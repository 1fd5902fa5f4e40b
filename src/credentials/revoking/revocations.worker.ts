import type { OmittedRevocation, RevocationAttempts } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { createPlaces } from '../../lib/places.ts';
import type { TokenEndpoint } from '../../oauth/token-endpoint.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import { noteErasureOutcome } from './erasure-outcomes.store.ts';
import type { DueRevocation, RevocationsStore } from './revocations.store.ts';
import type { ConsentOfProject } from './shared-consent.store.ts';

/** Requests to revocation endpoints under way in one process, half of them for one party at most. */
const AT_ONCE_MAX = 32;
/** Per origin; see `PER_ORIGIN_MAX` of the store for those that are taken together. */
const AT_ONCE_PER_ORIGIN_MAX = 4;
/** Pauses after the first attempts, in seconds; the last one goes on until a day has passed. */
const PAUSES_SECONDS = [10, 60, 300, 900, 3_600, 10_800];
const GIVE_UP_SECONDS = 24 * 60 * 60;

type RevocationOutcome =
  | { readonly action: 'connection.revocation_omitted'; readonly details: OmittedRevocation }
  | { readonly action: 'connection.revoked'; readonly details: RevocationAttempts }
  | {
      readonly action: 'connection.revocation_failed';
      readonly details: RevocationAttempts & { readonly errorCode: string };
    };

const ERASURE_OUTCOMES = {
  'connection.revoked': 'revoked',
  'connection.revocation_omitted': 'kept_for_another_connection',
  'connection.revocation_failed': 'refused',
} as const;

export type Revocations = ReturnType<typeof createRevocations>;

/**
 * Revokes grants at their providers, in the background: each is tried for a day, and its outcome is in the activity log.
 * Any number of processes may run it. A provider that does not answer delays only its own grants, and a party with many
 * such providers only its own. Whether another connection would end is asked right before each attempt, since its user
 * may connect again between two of them.
 */
export function createRevocations(deps: {
  db: Db;
  store: RevocationsStore;
  tokenEndpoint: Pick<TokenEndpoint, 'revoke'>;
  /** True where a revocation would end another connection that is in use. */
  isConsentHeld(consent: ConsentOfProject): Promise<boolean>;
  recordActivity: RecordActivity;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, store, log } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const atOrigin = new Map<string, number>();
  const places = createPlaces(AT_ONCE_MAX);
  let claiming: Promise<void> | undefined;
  let mustClaimAgain = false;

  /**
   * Takes what is due for as long as there is room. A call while another one looks waits for that one, which then looks
   * again: what has ended meanwhile made room that it did not know of.
   */
  function run(): Promise<void> {
    mustClaimAgain = true;
    claiming ??= claimWhileThereIsRoom().finally(() => {
      claiming = undefined;
    });
    return claiming;
  }

  async function claimWhileThereIsRoom(): Promise<void> {
    while (mustClaimAgain && !stopping.signal.aborted && places.free() > 0) {
      mustClaimAgain = false;
      const busy = [...atOrigin].flatMap(([origin, count]) =>
        count >= AT_ONCE_PER_ORIGIN_MAX ? [origin] : [],
      );
      const excluded = places.excluded();
      const due = await store.claimDueOfAnyProject(places.roundMax(), { busy, excluded });
      for (const revocation of due) start(revocation);
      if (due.length > 0 || places.beginRound()) mustClaimAgain = true;
    }
  }

  function start(revocation: DueRevocation): void {
    const { origin } = revocation;
    const leave = places.take(revocation.party);
    atOrigin.set(origin, (atOrigin.get(origin) ?? 0) + 1);
    const done = attempt(revocation)
      .catch((error: unknown) => {
        if (!isTransientStoreError(error))
          log.warn({ err: error, revocationId: revocation.id }, 'revocation failed');
      })
      .finally(() => {
        underWay.delete(done);
        leave();
        const count = (atOrigin.get(origin) ?? 1) - 1;
        if (count > 0) atOrigin.set(origin, count);
        else atOrigin.delete(origin);
        run().catch(() => undefined);
      });
    underWay.add(done);
  }

  async function attempt(revocation: DueRevocation): Promise<void> {
    const { id, request, attempts, ageSeconds, integrationId, connectionId } = revocation;
    if (await deps.isConsentHeld({ ...revocation.consent, ...revocation })) return omit(revocation);
    const outcome = await deps.tokenEndpoint.revoke(request, stopping.signal);
    // Another process tries it again when the claim has run out.
    if (stopping.signal.aborted && !outcome.ok) return;
    if (outcome.ok)
      return conclude(revocation, (tried) => ({ action: 'connection.revoked', details: tried }));
    const { errorCode } = outcome;
    log.warn({ integrationId, connectionId, errorCode, attempts }, 'revocation failed');
    if (ageSeconds >= GIVE_UP_SECONDS)
      return conclude(revocation, (tried) => ({
        action: 'connection.revocation_failed',
        details: { ...tried, errorCode },
      }));
    const pause = PAUSES_SECONDS[Math.min(attempts, PAUSES_SECONDS.length) - 1] ?? GIVE_UP_SECONDS;
    await store.postpone(id, Math.min(pause, GIVE_UP_SECONDS - ageSeconds), errorCode);
  }

  const omit = (revocation: DueRevocation) =>
    conclude(revocation, ({ integrationId, serviceProvider }) => ({
      action: 'connection.revocation_omitted',
      details: { integrationId, serviceProvider, outcome: 'kept for another connection' },
    }));

  async function conclude(
    { id, projectId, integrationId, connectionId, serviceProvider, attempts }: DueRevocation,
    describeOutcome: (tried: RevocationAttempts) => RevocationOutcome,
  ): Promise<void> {
    const outcome = describeOutcome({ integrationId, serviceProvider, attempts });
    await db.transaction(async (trx) => {
      const removed = await store.remove(trx, id);
      if (removed === undefined) return;
      const { erasureId } = removed;
      if (erasureId !== null) {
        const errorCode = 'errorCode' in outcome.details ? outcome.details.errorCode : '';
        const grant = { erasureId, projectId, integrationId, serviceProvider };
        await noteErasureOutcome(trx, { ...grant, outcome: ERASURE_OUTCOMES[outcome.action], errorCode });
      }
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'gateway' },
        subjectId: connectionId,
        ...outcome,
      });
    });
  }

  return {
    run,
    /** Looks for work soon, after a change was committed. */
    soon(): void {
      // Not in the time that the request has left for the store: a claim belongs to no request.
      withoutStoreLimit(() => setImmediate(() => void run().catch(() => undefined)));
    },
    /** Abandons what is under way, which is tried again later, and waits for it. */
    async stop(): Promise<void> {
      stopping.abort();
      await claiming?.catch(() => undefined);
      await Promise.allSettled(underWay);
    },
  };
}
