import type { Knex } from 'knex';
import { createFailureLog } from '../failure-log.ts';
import { withoutStoreLimit } from '../postgres/store-time.ts';
import type { Bus } from './bus.ts';
import { relayStore } from './relay.store.ts';

/** How long a notice waits at most on its way, while one process relays. */
const TICK_MS = 40;
const LOOK_MS = 1_000;
const RELAYED_SECONDS = 3;

/**
 * Relays what triggers write down of changes to the bus, in batches, so that commits do not wait for each other at
 * NOTIFY's lock. Of all processes the one with the smallest key relays. Triggers write notices down only while every
 * process that lives is heard on the bus; else they notify by themselves, as without a bus, and what was written down is
 * notified too.
 */
export function createRelay(deps: {
  db: Knex;
  bus: Pick<Bus, 'isUp' | 'isHeard' | 'publish'>;
  processKey: number;
  /** The keys of the processes that live, as last seen. */
  listPeers(): readonly number[];
  /** Hears whether notices reach this process, by the bus or without it. */
  onState(hasNotices: boolean): void;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, bus, processKey, listPeers, onState, log } = deps;
  const failures = createFailureLog(log, 'relay', 'notices of changes could not be relayed and wait');
  const timers: NodeJS.Timeout[] = [];
  let isRelaying = false;
  let isTicking = false;
  let hasNotices = true;

  const isRelay = (): boolean => listPeers().every((key) => key >= processKey);

  async function relayBatch(): Promise<number> {
    return db.transaction(async (trx) => {
      const payloads = await relayStore.take(trx);
      if (payloads.length === 0) return 0;
      const isSent = await bus.publish(payloads).then(
        () => true,
        () => false,
      );
      if (!isSent || !isRelaying) await relayStore.notify(trx, payloads);
      return payloads.length;
    });
  }

  async function tick(): Promise<void> {
    if (isTicking || !isRelay()) return;
    isTicking = true;
    try {
      if (await relayStore.hasAny(db)) while ((await relayBatch()) > 0);
      failures.forget('batch');
    } catch (error) {
      failures.complain('batch', error);
    } finally {
      isTicking = false;
    }
  }

  async function look(): Promise<void> {
    try {
      if (isRelay()) {
        isRelaying = bus.isUp() && listPeers().every(bus.isHeard);
        await relayStore.setRelayed(db, isRelaying ? RELAYED_SECONDS : 0);
      }
      tell(bus.isUp() || !(await relayStore.isRelayed(db)));
      failures.forget('look');
    } catch (error) {
      failures.complain('look', error);
    }
  }

  function tell(value: boolean): void {
    if (hasNotices === value) return;
    hasNotices = value;
    onState(value);
  }

  return {
    /** The bus went down or came up: until the next look it is not known how notices come. */
    handleDoubt(isUp: boolean): void {
      if (!isUp) tell(false);
      void look();
    },
    async start(): Promise<void> {
      await withoutStoreLimit(look);
      withoutStoreLimit(() => {
        timers.push(setInterval(tick, TICK_MS).unref(), setInterval(look, LOOK_MS).unref());
      });
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      if (isRelay()) await tick();
    },
  };
}

export type Relay = ReturnType<typeof createRelay>;
