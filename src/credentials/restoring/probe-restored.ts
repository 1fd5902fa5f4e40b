import pLimit from 'p-limit';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { CredentialProof } from '../../oauth/probe.ts';
import type { Chore } from '../../platform/chores.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import type { RefusedCredential } from '../calling/refused-calls.store.ts';
import type { IntegrationTarget } from '../client/integration-client.ts';
import type { CredentialState } from '../refreshing/credential-state.store.ts';
import { chooseRefreshMethod, isRenewable } from '../refreshing/refresh-method.ts';
import type { RefreshResult } from '../refreshing/refresh-result.ts';
import { buildRefreshTarget, type RefreshTarget } from '../refreshing/refresh-target.ts';
import {
  type Death,
  findRestore,
  finishProbing,
  listToProbeOfAnyProject,
  type Probed,
  type Restore,
  savePage,
} from './restores.store.ts';

/** How soon probing begins, and how soon another process goes on with it. */
const LOOKING_MS = 2_000;
const PAGE_SIZE = 50;
/** Requests to providers under way: they have not heard of these connections since the backup. */
const AT_ONCE_MAX = 8;

export type ProbeRestoredDependencies = {
  readonly db: Db;
  readCredentials(connectionId: string, projectId: string): Promise<CredentialState | undefined>;
  findTarget(state: CredentialState): Promise<IntegrationTarget | undefined>;
  /** Of these connections nothing reaches a provider. */
  isFrozen(projectId: string): boolean;
  /** Refreshes although the gateway is held. */
  refreshWhileHeld(target: RefreshTarget): Promise<RefreshResult>;
  prove(
    target: { readonly provider: Provider; readonly integration: Integration },
    state: CredentialState,
  ): Promise<CredentialProof | undefined>;
  /** Called with what the provider makes of a credential that cannot be renewed. */
  noteTest(credential: RefusedCredential, proof: CredentialProof): Promise<void>;
  readonly log: { warn(fields: object, message: string): void };
};

type Verdict =
  | { readonly is: 'alive' | 'unknown' | 'frozen' }
  | { readonly is: 'died'; readonly reason: string };

const ALIVE: Verdict = { is: 'alive' };
const UNKNOWN: Verdict = { is: 'unknown' };
const FROZEN: Verdict = { is: 'frozen' };

/**
 * The chore that probes the connections of a restored gateway once an owner resumes it, a page at a time: a refresh is
 * what shows that a token of the backup has been spent since. Then the gateway goes on.
 */
export function createProbeRestored(deps: ProbeRestoredDependencies): Chore {
  const { db } = deps;
  const limit = pLimit(AT_ONCE_MAX);

  async function probeAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const restore = await findRestore(db);
      if (restore?.state !== 'probing') return;
      const page = await listToProbeOfAnyProject(db, restore.walked, PAGE_SIZE);
      const last = page.at(-1);
      if (last === undefined) await finishProbing(db, restore);
      else await probePage(restore, page, last.connectionId);
    }
  }

  async function probePage(restore: Restore, page: readonly Probed[], last: string): Promise<void> {
    const verdicts = await Promise.all(
      page.map(async (probed) => ({ probed, verdict: await limit(() => probe(probed)) })),
    );
    const deaths = verdicts.flatMap(({ probed, verdict }): Death[] =>
      verdict.is === 'died' ? [{ ...probed, reason: verdict.reason }] : [],
    );
    const count = (is: Verdict['is']) => verdicts.filter(({ verdict }) => verdict.is === is).length;
    const counts = { probed: page.length - count('frozen'), alive: count('alive') };
    await db.transaction((trx) => savePage(trx, restore, { last, ...counts, deaths }));
  }

  async function probe(probed: Probed): Promise<Verdict> {
    try {
      return await judge(probed);
    } catch (error) {
      if (isTransientStoreError(error)) throw error;
      deps.log.warn({ err: error, connectionId: probed.connectionId }, 'a connection could not be probed');
      return UNKNOWN;
    }
  }

  async function judge({ connectionId, projectId }: Probed): Promise<Verdict> {
    if (deps.isFrozen(projectId)) return FROZEN;
    const state = await deps.readCredentials(connectionId, projectId);
    const target = state && (await deps.findTarget(state));
    if (state === undefined || target === undefined || state.status !== 'active') return UNKNOWN;
    const { provider } = target;
    const method = chooseRefreshMethod(provider, state.credentials.refreshToken !== null);
    if (isRenewable(method))
      return judgeRefresh(await deps.refreshWhileHeld(buildRefreshTarget(provider, state)));
    const proof = await deps.prove(target, state);
    if (proof === undefined) return UNKNOWN;
    await deps.noteTest(state, proof);
    if (proof.verdict === 'accepted') return ALIVE;
    return proof.verdict === 'refused' ? { is: 'died', reason: 'credential_not_accepted' } : UNKNOWN;
  }

  return { name: 'probing a restored gateway', intervalMs: LOOKING_MS, runsAtStart: true, run: probeAll };
}

function judgeRefresh(result: RefreshResult): Verdict {
  if (result.ok) return ALIVE;
  return result.code === 'reauthorization_required' ? { is: 'died', reason: result.code } : UNKNOWN;
}
