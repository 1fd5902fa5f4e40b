import type { Knex } from 'knex';
import { createBus } from './bus/bus.ts';
import type { Carrier } from './bus/carrier.ts';
import { createRelay } from './bus/relay.ts';
import { CHANGE_CHANNEL, type Changes } from './change-notices.ts';
import type { Logger } from './logger.ts';
import { createChangeListener } from './postgres/listen.ts';
import { announcePresence } from './postgres/presence.ts';

/**
 * Builds what hears of changes that other processes make: the listener of Postgres and, with a carrier, the bus. What is
 * in memory is trusted while both are there.
 */
export function createNotices(input: {
  log: Logger;
  db: Knex;
  directUrl: string;
  processKey: number;
  changes: Changes;
  /** Left out: triggers notify by themselves. */
  carrier: Carrier | undefined;
  listPeers(): readonly number[];
  onNotice(payload: string): void;
}) {
  const { log, changes, carrier, processKey, onNotice } = input;
  const reaches = { listener: true, bus: true };

  function note(part: keyof typeof reaches, isThere: boolean): void {
    reaches[part] = isThere;
    if (reaches.listener && reaches.bus) changes.handleNoticesRestored();
    else changes.handleNoticesLost();
  }

  const listener = createChangeListener({
    url: input.directUrl,
    channel: CHANGE_CHANNEL,
    onConnect: [announcePresence(processKey)],
    onMessage: onNotice,
    onLost: (error) => {
      log.warn({ err: error }, 'change notices lost: memory is not trusted until they are back');
      note('listener', false);
    },
    onRestored: () => note('listener', true),
  });
  const bus =
    carrier &&
    createBus({
      carrier,
      processKey,
      onNotice,
      onDoubt(isUp) {
        if (!isUp) log.warn({}, 'the bus of change notices is away: Postgres carries them until it is back');
        // What was lost meanwhile is read again.
        note('bus', reaches.bus);
        relay?.handleDoubt(isUp);
      },
    });
  const relay = bus && createRelay({ ...input, bus, onState: (isThere) => note('bus', isThere) });

  return {
    async start(): Promise<void> {
      await listener.start();
      bus?.start();
    },
    /** Needs the processes that live to be known. */
    startRelay: async (): Promise<void> => relay?.start(),
    async stop(): Promise<void> {
      await relay?.stop();
      await bus?.stop();
      await listener.stop();
    },
  };
}
