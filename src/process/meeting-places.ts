import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Carrier } from '../platform/bus/carrier.ts';
import type { LimitLedger } from '../platform/limits/ledger.ts';
import { identifyDatabase } from '../platform/postgres/pooling.ts';

/** Where the processes of an installation meet besides Postgres; each part is left out where no variable names it. */
export type MeetingPlaces = {
  readonly ledger?: LimitLedger;
  readonly carrier?: Carrier;
  stop(): Promise<void>;
};

/**
 * Loads the clients that are wanted. A server that is away is no fault: processes then meet in Postgres alone. Names hold
 * the database's identity, so that installations may share a server.
 */
export async function openMeetingPlaces(
  { valkeyUrl, natsUrl }: Pick<Config, 'valkeyUrl' | 'natsUrl'>,
  databaseUrl: string,
): Promise<MeetingPlaces> {
  if (valkeyUrl === undefined && natsUrl === undefined) return { stop: () => Promise.resolve() };
  const identity = await identifyDatabase(databaseUrl);
  const prefix = `integration-gateway:${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
  const limits = valkeyUrl === undefined ? undefined : await openValkeyLedger(valkeyUrl, prefix);
  const carrier = await openCarrier({ valkeyUrl, natsUrl }, `${prefix}:notices`);
  return {
    ...(limits !== undefined && { ledger: limits.ledger }),
    ...(carrier !== undefined && { carrier }),
    async stop() {
      limits?.disconnect();
      await carrier?.stop();
    },
  };
}

async function openValkeyLedger(url: string, prefix: string) {
  const { connectValkey } = await import('../platform/valkey.ts');
  const { createValkeyLedger } = await import('../platform/limits/valkey-ledger.ts');
  const valkey = connectValkey(url);
  return {
    ledger: createValkeyLedger(valkey, `${prefix}:limit:`),
    disconnect: () => valkey.disconnect(),
  };
}

async function openCarrier(
  { valkeyUrl, natsUrl }: Pick<Config, 'valkeyUrl' | 'natsUrl'>,
  channel: string,
): Promise<Carrier | undefined> {
  if (natsUrl !== undefined) {
    const { createNatsCarrier } = await import('../platform/bus/nats-carrier.ts');
    return createNatsCarrier({ url: natsUrl, channel: channel.replaceAll(':', '.') });
  }
  if (valkeyUrl === undefined) return undefined;
  const { createValkeyCarrier } = await import('../platform/bus/valkey-carrier.ts');
  return createValkeyCarrier({ url: valkeyUrl, channel });
}
