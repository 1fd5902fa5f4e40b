import type { createCallLog } from '../call-log/create-call-log.ts';
import type { createConnect } from '../connect/create-connect.ts';
import type { createEvents } from '../events/create-events.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { CHANGE_CHANNEL, type createChanges } from '../platform/change-notices.ts';
import { type Chore, createChores } from '../platform/chores.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Logger } from '../platform/logger.ts';
import { createChangeListener } from '../platform/postgres/listen.ts';
import { announcePresence } from '../platform/postgres/presence.ts';
import type { composeProxy } from './proxy.ts';

/** So long a stop goes on trying to write what token endpoints have answered, beyond the time of the drain. */
const LAST_WRITES_MS = 5_000;

/** Composes what runs beside the requests: the listener for change notices, the chores, the job queue, and the order of a stop. */
export function composeBackground(input: {
  log: Logger;
  /** The store, past any pooler in transaction mode. */
  directUrl: string;
  /** As announced to other processes. */
  processKey: number;
  changes: ReturnType<typeof createChanges>;
  outbound: { stop(): Promise<void> };
  mailer: { stop(): Promise<void> };
  connecting: Pick<ReturnType<typeof createConnect>, 'accessTokens' | 'revocations'>;
  proxying: Pick<ReturnType<typeof composeProxy>, 'stop'>;
  calls: Pick<ReturnType<typeof createCallLog>, 'handleNotice'>;
  events: Pick<ReturnType<typeof createEvents>, 'handleNotice' | 'settled'>;
  deliveries: { stop(): void };
  webhooks: { stop(): Promise<void> };
  jobs: Pick<JobQueue, 'start' | 'stop' | 'handleNotice'>;
  chores: readonly Chore[];
}) {
  const { log, changes, outbound, mailer, connecting, proxying, jobs } = input;
  const listener = createChangeListener({
    url: input.directUrl,
    channel: CHANGE_CHANNEL,
    onConnect: [announcePresence(input.processKey)],
    onMessage: (payload) => {
      changes.handleNotification(payload);
      input.calls.handleNotice(payload);
      input.events.handleNotice(payload);
      jobs.handleNotice(payload);
    },
    onLost: (error) => {
      log.warn({ err: error }, 'change notices lost: memory is not trusted until they are back');
      changes.handleNoticesLost();
    },
    onRestored: changes.handleNoticesRestored,
  });
  const chores = createChores({ chores: input.chores, random: Math.random, log });

  async function writeOutcomes(): Promise<void> {
    const { settled, stopWriting } = connecting.accessTokens;
    await settleWithin(LAST_WRITES_MS, settled(), stopWriting);
    await settled();
  }

  return {
    async start(): Promise<void> {
      await listener.start();
      await jobs.start();
      chores.start();
    },
    /**
     * Waits for refreshes under way, for late answers of token endpoints, and until the store has taken what they brought:
     * a rotated token exists only there.
     */
    async drain(limitMs: number): Promise<void> {
      await settleWithin(limitMs, connecting.accessTokens.settled(), () => undefined);
    },
    async stop(): Promise<void> {
      // No chore or job begins another refresh or revocation.
      const background = Promise.all([
        chores.stop(),
        jobs.stop(),
        connecting.revocations.stop(),
        mailer.stop(),
        input.webhooks.stop(),
      ]);
      // What is still awaited is given up and written down, while other processes can see that this one is alive.
      await outbound.stop();
      await Promise.all([writeOutcomes(), input.events.settled(), background]);
      await listener.stop();
      proxying.stop();
      input.deliveries.stop();
    },
  };
}
