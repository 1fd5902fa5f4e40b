import type { Carrier } from './bus/carrier.ts';
import { CHANGE_CHANNEL, createChanges } from './change-notices.ts';
import { HOURLY } from './chores.ts';
import { createJobQueue } from './job-queue.ts';
import type { Kit } from './kit.ts';
import type { LimitLedger } from './limits/ledger.ts';
import { createLimitsStore } from './limits/limits.store.ts';
import { createPeers } from './limits/peers.ts';
import { createSharedLimits } from './limits/shared-limits.ts';
import type { Logger } from './logger.ts';
import { createMailer, NO_MAILER } from './mailer.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createOutbound } from './outbound.ts';
import { createStoreClock } from './postgres/clock.ts';
import type { Database } from './postgres/database.ts';
import { createParties } from './postgres/parties.ts';
import { poolUse } from './postgres/pool-use.ts';
import { newProcessKey } from './postgres/presence.ts';
import { createResolver } from './resolver.ts';
import { NO_TELEMETRY, type Telemetry } from './telemetry.ts';
import { traceOutbound } from './traced-outbound.ts';
import type { Vault } from './vault.ts';

export type PlatformInput = {
  readonly database: Database;
  readonly vault: Vault;
  readonly log: Logger;
  /** Left out: nothing is traced, and nothing is sent. */
  readonly telemetry?: Telemetry;
  /** Left out: processes meet in Postgres about their limits and notices. */
  readonly places?: { readonly ledger?: LimitLedger; readonly carrier?: Carrier };
};

type Settings = {
  /** The gateway's origin, without a slash at its end. */
  readonly publicUrl: string;
  readonly allowPrivateNetworks: boolean;
  /** Left out: no mail is sent. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
};

/** Builds what every room stands on: the kit, change notices, and what the parties that own projects take turns in. */
export function createPlatform({ settings, ...input }: PlatformInput & { readonly settings: Settings }) {
  const { database, vault, log, telemetry = NO_TELEMETRY } = input;
  const { allowPrivateNetworks, publicUrl, smtp } = settings;
  const db = database.knex;
  const metrics = createMetrics();
  metrics.watchPool('main', () => poolUse(db));
  metrics.watchLog(log.droppedLines);
  telemetry.watchMetrics(metrics.read);
  const resolveName = createResolver();
  const outbound = traceOutbound(telemetry.tracing, createOutbound({ allowPrivateNetworks, resolveName }));
  const kit: Kit = {
    db,
    vault,
    log,
    outbound,
    metrics,
    telemetry,
    publicUrl,
    now: Date.now,
    random: Math.random,
  };
  const processKey = newProcessKey();
  const parties = createParties();
  const storeClock = createStoreClock(kit.now);
  const jobs = createJobQueue({ db, log, channel: CHANGE_CHANNEL, processKey, parties, storeClock });
  metrics.watchJobs(jobs.count);
  return {
    kit,
    outbound,
    resolveName,
    processKey,
    storeClock,
    parties,
    jobs,
    changes: createChanges(),
    carrier: input.places?.carrier,
    ...createLimits(input, metrics),
    mailer: smtp === undefined ? NO_MAILER : createMailer({ ...smtp, log }),
  };
}

/** Builds what processes hold their limits together by. */
function createLimits({ database: { knex: db }, log, places }: PlatformInput, metrics: Metrics) {
  const peers = createPeers({ db });
  metrics.watchProcesses(peers.count);
  const store = createLimitsStore({ db });
  const sharedLimits = createSharedLimits({
    ledger: places?.ledger ?? store,
    peers: peers.count,
    onLost: (error) =>
      log.warn({ err: error }, 'shared limits lost: each process goes by its share until they are back'),
    onBack: () => log.info({}, 'shared limits are back'),
  });
  return {
    peers,
    sharedLimits,
    limitChores: [{ name: 'limits of which nothing is used', ...HOURLY, run: () => store.purge() }],
  };
}
