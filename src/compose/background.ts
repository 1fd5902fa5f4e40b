import type { Knex } from 'knex';
import { settleWithin } from '../lib/settle-within.ts';
import type { Carrier } from '../platform/bus/carrier.ts';
import type { Changes } from '../platform/change-notices.ts';
import { type Chore, createChores } from '../platform/chores.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { KeyWatch } from '../platform/kms/key-watch.ts';
import type { Peers } from '../platform/limits/peers.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Logger } from '../platform/logger.ts';
import { createNotices } from '../platform/notices.ts';
import type { Rooms } from './rooms.ts';

/** So long a stop goes on trying to write what token endpoints have answered, beyond the time of the drain. */
const LAST_WRITES_MS = 5_000;

/** Builds what runs beside the requests: the listener for change notices, the chores, the job queue, and the order of a stop. */
export function composeBackground(input: {
  log: Logger;
  /** The store, past any pooler in transaction mode. */
  directUrl: string;
  /** As announced to other processes. */
  processKey: number;
  changes: Changes;
  outbound: { stop(): Promise<void> };
  mailer: { stop(): Promise<void> };
  rooms: Pick<Rooms, 'credentials' | 'proxying' | 'callLog' | 'events' | 'deliveries' | 'webhooks' | 'holds'>;
  db: Knex;
  /** Left out: triggers notify by themselves. */
  carrier: Carrier | undefined;
  peers: Pick<Peers, 'start' | 'stop' | 'keys'>;
  sharedLimits: Pick<SharedLimits, 'start' | 'stop'>;
  jobs: Pick<JobQueue, 'start' | 'stop' | 'handleNotice'>;
  chores: readonly Chore[];
  /** Left out without a key management service. */
  keyWatch: Pick<KeyWatch, 'load'> | undefined;
}) {
  const { log, changes, mailer, jobs, peers, sharedLimits } = input;
  const { credentials, proxying, callLog, events, deliveries, webhooks, holds } = input.rooms;
  const notices = createNotices({
    ...input,
    listPeers: peers.keys,
    onNotice: (payload) => {
      changes.handleNotification(payload);
      callLog.handleNotice(payload);
      events.handleNotice(payload);
      jobs.handleNotice(payload);
    },
  });
  const chores = createChores({ chores: input.chores, random: Math.random, log });

  async function writeOutcomes(): Promise<void> {
    const { settled, stopWriting } = credentials.accessTokens;
    await settleWithin(LAST_WRITES_MS, settled(), stopWriting);
    await settled();
  }

  return {
    async start(): Promise<void> {
      await notices.start();
      // A key that began to seal between the start of the process and its presence.
      await input.keyWatch?.load();
      await peers.start();
      await notices.startRelay();
      sharedLimits.start();
      await holds.start();
      await jobs.start();
      chores.start();
    },
    /**
     * Waits for refreshes under way, for late answers of token endpoints, and until the store has taken what they brought:
     * a rotated token exists only there.
     */
    async drain(limitMs: number): Promise<void> {
      await settleWithin(limitMs, credentials.accessTokens.settled(), () => undefined);
    },
    async stop(): Promise<void> {
      // No chore or job begins another refresh or revocation.
      const background = Promise.all([
        chores.stop(),
        jobs.stop(),
        credentials.revocations.stop(),
        mailer.stop(),
        webhooks.stop(),
      ]);
      // What is still awaited is given up and written down, while other processes can see that this one is alive.
      await input.outbound.stop();
      await Promise.all([writeOutcomes(), events.settled(), sharedLimits.stop(), background]);
      peers.stop();
      await notices.stop();
      holds.stop();
      proxying.stop();
      deliveries.stop();
    },
  };
}
