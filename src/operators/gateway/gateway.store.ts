import type { Db } from '../../platform/postgres/database.ts';
import { listPresent } from '../../platform/postgres/presence.ts';

type StoreFacts = { readonly serverVersion: string; readonly migration: string | null };

/** What the gateway's page shows of its store and its replicas. */
export function createGatewayStore({ db }: { db: Db }) {
  return {
    async readStoreFacts(): Promise<StoreFacts> {
      const { rows } = await db.raw<{ rows: StoreFacts[] }>(
        `SELECT current_setting('server_version') AS "serverVersion",
                (SELECT max(name) FROM knex_migrations) AS migration`,
      );
      return rows[0] ?? { serverVersion: 'unknown', migration: null };
    },

    /** The processes that are alive, with the time since when each is connected for change notices. */
    listReplicas: () => listPresent(db),
  };
}

export type GatewayStore = ReturnType<typeof createGatewayStore>;
