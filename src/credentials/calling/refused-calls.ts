import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { buildProbe, type CredentialProof } from '../../oauth/probe.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import { CALLS_REFUSED, type RefusedCallsStore, type RefusedCredential } from './refused-calls.store.ts';

/** Two proofs, a minute or more apart, since a provider's own fault may look like a refusal. */
const PROOFS_TO_END = 2;
/** Where nothing can be proved, so many refusals, each in another minute and with no success between, are reported. */
const REFUSALS_TO_TELL = 3;
/** In one process a flood of refusals asks the store about a connection once in this time. */
const PAUSE_MS = 1_000;
const REMEMBERED_MAX = 10_000;
const WAITING_MAX = 1_000;

export type RefusedCalls = ReturnType<typeof createRefusedCalls>;

/**
 * Finds out, in the background, whether a credential is at an end whose calls its provider refuses and that cannot be
 * renewed: by the probe, once a minute over all processes. Refused twice, the connection needs its user. A call that is
 * refused says nothing by itself, since it may only not be allowed.
 */
export function createRefusedCalls(deps: {
  store: RefusedCallsStore;
  /** Asks the provider; undefined where the credential is another one now, or the provider gone. */
  prove(target: RefusedCredential): Promise<CredentialProof | undefined>;
  /** Runs a change of status and writes its activity record in the same transaction. */
  recordRefusal(
    target: RefusedCredential,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean>;
  limit<Result>(work: () => Promise<Result>): Promise<Result>;
  log: { warn(fields: object, message: string): void };
  now(): number;
}) {
  const { store, log } = deps;
  const nextAtMs = new Map<string, number>();
  /** Connections with refused calls and no success since, and the statuses that prove none with their provider. */
  const doubted = new Map<string, { readonly projectId: string; readonly silent: readonly number[] }>();
  const underWay = new Set<Promise<void>>();

  function note(target: RefusedCredential, provider: Provider): void {
    const now = deps.now();
    const { connectionId } = target;
    if (now < (nextAtMs.get(connectionId) ?? 0) || underWay.size >= WAITING_MAX) return;
    forgetOldest(nextAtMs);
    nextAtMs.set(connectionId, now + PAUSE_MS);
    // Not in the time that the call has left for the store: this belongs to no call.
    const done = withoutStoreLimit(() => deps.limit(() => follow(target, provider)))
      .catch((error: unknown) => {
        if (!isTransientStoreError(error))
          log.warn({ err: error, connectionId }, 'a refused credential could not be proved');
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function follow(target: RefusedCredential, provider: Provider): Promise<void> {
    if (!(await store.claimProof(target))) return;
    doubt(target.connectionId, target.projectId, provider);
    if (buildProbe(provider) === undefined) {
      const refusals = await store.count(target);
      if (refusals !== undefined && refusals >= REFUSALS_TO_TELL)
        await store.setReason(
          target,
          `${CALLS_REFUSED}by the provider, and no request proves the credential`,
        );
      return;
    }
    const proof = await deps.prove(target);
    if (proof === undefined) return;
    if (proof.verdict === 'accepted') await accept(target);
    else if (proof.isFinal) await refuse(target, proof);
  }

  async function accept({ connectionId, projectId }: RefusedCredential): Promise<void> {
    doubted.delete(connectionId);
    await store.reset({ connectionId, projectId });
  }

  async function refuse(target: RefusedCredential, proof: CredentialProof): Promise<void> {
    const refusals = await store.count(target);
    if (refusals === undefined) return;
    if (refusals >= PROOFS_TO_END) await end(target, proof);
    else await store.setReason(target, reasonOf(proof));
  }

  async function end(target: RefusedCredential, proof: CredentialProof): Promise<void> {
    const reason = reasonOf(proof);
    doubted.delete(target.connectionId);
    const isChanged = await deps.recordRefusal(target, reason, (trx) => store.end(trx, target, reason));
    const { connectionId } = target;
    if (isChanged) log.warn({ connectionId, errorCode: proof.code }, 'the provider refuses the credential');
  }

  function doubt(connectionId: string, projectId: string, { callRefused }: Provider): void {
    forgetOldest(doubted);
    doubted.set(connectionId, { projectId, silent: callRefused ? [callRefused.status].flat() : [] });
  }

  return {
    /** The provider has refused a call. Returns at once. */
    note,
    /** The store knows of refused calls of this connection. */
    noteDoubt: (connectionId: string, projectId: string, provider: Provider): void =>
      doubt(connectionId, projectId, provider),
    /** Hears of each answer to a call; of use only while a connection is doubted. */
    noteAnswer(connectionId: string, status: number): void {
      if (doubted.size === 0 || status >= 400) return;
      const known = doubted.get(connectionId);
      if (known === undefined || known.silent.includes(status)) return;
      doubted.delete(connectionId);
      const { projectId } = known;
      withoutStoreLimit(() => store.reset({ connectionId, projectId })).catch(() => undefined);
    },
    /** What a test that was asked for has proved: its refusal ends the connection at once. */
    async noteTest(target: RefusedCredential, proof: CredentialProof): Promise<void> {
      if (proof.verdict === 'accepted') await accept(target);
      else if (proof.verdict === 'refused' && proof.isFinal) await end(target, proof);
    },
    /** Resolves when what is under way has ended. */
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
}

function reasonOf({ code, words }: CredentialProof): string {
  return `${CALLS_REFUSED}${words === undefined ? code : `${code} (“${words}”)`}`;
}

/** Keeps a map bounded: what is forgotten is learnt again. */
function forgetOldest(map: Map<string, unknown>): void {
  if (map.size < REMEMBERED_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
