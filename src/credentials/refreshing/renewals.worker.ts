import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { chooseRefreshMethod } from './refresh-method.ts';
import type { RefreshTarget } from './refresh-target.ts';
import type { RenewalsStore } from './renewals.store.ts';

const BATCH_MAX = 100;
/** Renewals under way in a process, half of them for one party at most. */
const AT_ONCE_MAX = 8;

/**
 * Renews access tokens that can only be renewed while they are valid, for connections without calls: one pass of a
 * background chore. Any number of processes may run it at once, since each renewal takes the lease of its row; each
 * takes the rows in an order of its own, so that they seldom wait for one another. Parties take turns in the batch and in
 * the requests under way.
 */
export function createRenewals(deps: {
  store: RenewalsStore;
  accessTokens: Pick<AccessTokens, 'refresh'>;
  /** What the catalog has of these ids, as each of their grants; projects' own are found in the store. */
  findProviders(ids: readonly string[]): Promise<readonly Provider[]>;
  random(): number;
  log: { warn(fields: object, message: string): void };
}) {
  /** How many tokens were renewed. A provider that refuses or does not answer costs its own connections only. */
  return async function renewUnused(signal: AbortSignal): Promise<number> {
    // Not the whole catalog: a gateway uses a handful of a thousand, which it makes when they are first asked for.
    const providers = await deps.findProviders(await deps.store.listUsedProviders());
    const renewing = providers
      .filter((provider) => chooseRefreshMethod(provider, false) === 'access-token')
      .map(({ id, grant, refreshBeforeExpirySeconds }) => ({
        id,
        grant,
        marginSeconds: refreshBeforeExpirySeconds ?? null,
      }));
    const due = await deps.store.findDueOfAnyProject(renewing, BATCH_MAX);
    const queue = createFairQueue({
      running: AT_ONCE_MAX,
      waitingPerKeyMax: BATCH_MAX,
      waitingMax: BATCH_MAX,
      sharesPlaces: true,
    });
    const renewed = await Promise.all(
      shuffle(due, deps.random).map((target) =>
        queue.run(target.party, async () => !signal.aborted && (await isRenewed(target))),
      ),
    );
    return renewed.filter(Boolean).length;
  };

  async function isRenewed(target: RefreshTarget): Promise<boolean> {
    try {
      // A refusal is logged and recorded by the refresh itself.
      return (await deps.accessTokens.refresh(target)).ok;
    } catch (error) {
      if (isTransientStoreError(error)) throw error;
      deps.log.warn(
        { err: error, connectionId: target.connectionId },
        'an unused token could not be renewed',
      );
      return false;
    }
  }
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
