import type { Config } from '../config.ts';
import { createRunCheck } from '../diagnosis/bounded-probe.ts';
import { createStoreProbe } from '../http/health.router.ts';
import type { Carrier } from '../platform/bus/carrier.ts';
import { CHANGE_CHANNEL, createChanges } from '../platform/change-notices.ts';
import { HOURLY } from '../platform/chores.ts';
import { createJobQueue } from '../platform/job-queue.ts';
import type { Kit } from '../platform/kit.ts';
import type { LimitLedger } from '../platform/limits/ledger.ts';
import { createLimitsStore } from '../platform/limits/limits.store.ts';
import { createPeers } from '../platform/limits/peers.ts';
import { createSharedLimits } from '../platform/limits/shared-limits.ts';
import type { Logger } from '../platform/logger.ts';
import { createMailer, NO_MAILER } from '../platform/mailer.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createParties } from '../platform/postgres/parties.ts';
import { poolUse } from '../platform/postgres/pool-use.ts';
import { newProcessKey } from '../platform/postgres/presence.ts';
import { createResolver } from '../platform/resolver.ts';
import { NO_TELEMETRY, type Telemetry } from '../platform/telemetry.ts';
import { traceOutbound } from '../platform/traced-outbound.ts';
import type { Vault } from '../platform/vault.ts';

export type PlatformInput = {
  readonly config: Config;
  readonly database: Database;
  readonly vault: Vault;
  readonly log: Logger;
  /** Left out: nothing is traced, and nothing is sent. */
  readonly telemetry?: Telemetry;
  /** Left out: processes meet in Postgres about their limits and notices. */
  readonly places?: { readonly ledger?: LimitLedger; readonly carrier?: Carrier };
};

export type ComposedPlatform = ReturnType<typeof composePlatform>;

/** Builds what every room stands on: the kit, change notices, and what the parties that own projects take turns in. */
export function composePlatform(input: PlatformInput) {
  const { config, database, vault, log, telemetry = NO_TELEMETRY } = input;
  const { allowPrivateNetworks, publicUrl, smtp } = config;
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
  const jobs = createJobQueue({ db, log, channel: CHANGE_CHANNEL, processKey, parties });
  metrics.watchJobs(jobs.count);
  const isStoreReady = createStoreProbe(async () => db.raw('SELECT 1'));
  metrics.watchStore(isStoreReady);
  return {
    kit,
    outbound,
    resolveName,
    processKey,
    parties,
    jobs,
    runCheck: createRunCheck({ partyOf: (projectId) => parties.partyOf(db, projectId) }),
    isStoreReady,
    changes: createChanges(),
    carrier: input.places?.carrier,
    ...composeLimits(input, metrics),
    mailer: smtp === undefined ? NO_MAILER : createMailer({ ...smtp, log }),
  };
}

/** Builds what processes hold their limits together by. */
function composeLimits({ database: { knex: db }, log, places }: PlatformInput, metrics: Metrics) {
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
