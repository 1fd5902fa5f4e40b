import type { Db } from '../postgres/database.ts';
import { listPresent } from '../postgres/presence.ts';
import { withoutStoreLimit } from '../postgres/store-time.ts';

const LOOK_MS = 1_000;

export type Peers = ReturnType<typeof createPeers>;

/** How many processes of the installation live, as their presence shows; while the store is away, as many as last seen. */
export function createPeers({ db }: { db: Db }) {
  let keys: readonly number[] = [];
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      keys = (await listPresent(db)).map(({ id }) => Number(id));
    } catch {
      // What was seen last goes on.
    } finally {
      isLooking = false;
    }
  }

  return {
    count: () => Math.max(1, keys.length),
    keys: () => keys,
    /** Needs this process to have announced itself. */
    async start(): Promise<void> {
      await withoutStoreLimit(look);
      timer = withoutStoreLimit(() => setInterval(look, LOOK_MS).unref());
    },
    stop: () => clearInterval(timer),
  };
}
