import type { composeIdentity } from '../compose/identity.ts';
import type { Config } from '../config.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationNumbers } from '../integrations/integrations.schema.ts';
import type { Integration } from '../integrations/integrations.store.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Parties } from '../platform/postgres/parties.ts';
import { createCallRecorder } from './call-recorder.ts';
import { createCallsEndpoints } from './calls.router.ts';
import { createStatsEndpoints } from './stats.router.ts';
import { sumIntegrations } from './stats.store.ts';
import { createTailEndpoints } from './tail.router.ts';
import { createTails } from './tail.ts';

/** Composes what counts proxied calls, keeps some, and shows them. */
export function createCallLog(input: {
  config: Config;
  database: Database;
  log: Logger;
  now(): number;
  isDraining(): boolean;
  connections: Pick<ConnectionsStore, 'countByIntegration'>;
  principals: Pick<ReturnType<typeof composeIdentity>, 'access' | 'authenticate'>;
  parties: Parties;
}) {
  const { config, log, now } = input;
  const db = input.database.knex;
  const { access, authenticate } = input.principals;
  const tails = createTails({ ...input, db });
  const recorder = createCallRecorder({ db, settings: config.calls, now, log, tail: tails });
  return {
    record: recorder.record,
    chores: recorder.chores,
    handleNotice: tails.handleNotice,
    readIntegrationNumbers: createReadIntegrationNumbers({ ...input, db }),
    endpoints: [
      ...createStatsEndpoints({ db, access, now }),
      ...createCallsEndpoints({ db, access }),
      ...createTailEndpoints({ access, authenticate, tails }),
    ],
  };
}

const DAY_MS = 24 * 3_600_000;

/** Two queries for a page of integrations, whatever their number. */
function createReadIntegrationNumbers({
  db,
  connections,
  now,
}: {
  db: Db;
  connections: Pick<ConnectionsStore, 'countByIntegration'>;
  now(): number;
}) {
  return async (integrations: readonly Integration[]): Promise<Map<string, IntegrationNumbers>> => {
    const integrationIds = integrations.map(({ id }) => id);
    const projectIds = [...new Set(integrations.map(({ projectId }) => projectId))];
    const counted = await connections.countByIntegration(db, integrationIds);
    const called = await sumIntegrations(db, { projectIds, integrationIds, since: new Date(now() - DAY_MS) });
    const callsOf = new Map(called.map((row) => [row.integration_id, row]));
    return new Map(
      integrationIds.map((id) => [
        id,
        {
          ...(counted.get(id) ?? { connections: 0, reauthorizationRequired: 0 }),
          callsDay: callsOf.get(id)?.calls ?? 0,
          errorsDay: callsOf.get(id)?.errors ?? 0,
          lastCallAt: callsOf.get(id)?.last_call_at?.toISOString() ?? null,
        },
      ]),
    );
  };
}
