import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';

type Owner = { readonly id: string; readonly projectId: string };

/** Connections of one integration that are in the same trouble. */
export type Trouble = {
  readonly status: 'active' | 'reauthorization_required';
  readonly reason: string;
  readonly isClientRefused: boolean;
  /** Whose OAuth client it stands on; null: the integration's own. */
  readonly organization: string | null;
  readonly count: number;
  /** One of them. */
  readonly connectionId: string;
  /** When it was last heard of, as far as that is known. */
  readonly at: Date | null;
};

export type ConnectionsFacts = {
  /** How many were looked at, the newest ones. */
  readonly looked: number;
  readonly troubles: readonly Trouble[];
  /** Every scope that some connection has, where the provider says so. */
  readonly grantedScopes: readonly string[];
};

/** What the provider last answered to the refresh of a connection. */
export type RefreshResponse = {
  readonly refreshedAt: Date | null;
  readonly heardAt: Date | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly words: string | null;
  readonly retryAt: Date | null;
  readonly isClientRefused: boolean;
  readonly lifetimeSeconds: number | null;
};

/** More connections than these are not looked at, so that no integration's diagnosis costs more than so much. */
const CONNECTIONS_MAX = 1_000;
const TROUBLES_MAX = 50;
const COUNTED_MAX = 100_000;

const facts = z.object({ looked: z.coerce.number(), scopes: z.array(z.string()).nullable() });

/** SQL over what connections show of their integration. */
export function createConnectionsFactsStore({ db }: { db: Db }) {
  async function read({ id, projectId }: Owner): Promise<ConnectionsFacts> {
    const { rows } = await db.raw(
      `WITH newest AS (SELECT granted_scopes, organization_client_id FROM connections
                       WHERE integration_id = ? AND project_id = ? ORDER BY id DESC LIMIT ${CONNECTIONS_MAX})
       SELECT (SELECT count(*) FROM newest) AS looked,
              (SELECT array_agg(DISTINCT scope) FROM newest, unnest(granted_scopes) AS scope
                WHERE organization_client_id IS NULL) AS scopes`,
      [id, projectId],
    );
    const { looked, scopes } = facts.parse(rows[0]);
    return { looked, grantedScopes: scopes ?? [], troubles: await readTroubles({ id, projectId }) };
  }

  async function readTroubles({ id, projectId }: Owner): Promise<Trouble[]> {
    const newest = db('connections')
      .where({ integration_id: id, project_id: projectId })
      .whereNotNull('status_reason')
      // What organizations' own clients are refused is reported as `organization_client_refused`.
      .whereRaw('NOT (refresh_client_refused AND organization_client_id IS NOT NULL)')
      .orderBy('id', 'desc')
      .limit(CONNECTIONS_MAX)
      .select('id', 'status', 'status_reason', 'refresh_client_refused', 'refresh_heard_at')
      .as('newest');
    const rows = await db(newest)
      .groupBy('status', 'status_reason', 'refresh_client_refused')
      .orderByRaw('count(*) DESC')
      .limit(TROUBLES_MAX)
      .select(
        'status',
        'status_reason',
        'refresh_client_refused',
        db.raw('count(*)::integer AS count'),
        db.raw('max(id::text) AS connection_id'),
        db.raw('max(refresh_heard_at) AS heard_at'),
      );
    return rows.map((row) => ({
      status: row.status,
      reason: row.status_reason,
      isClientRefused: row.refresh_client_refused,
      organization: null,
      count: row.count,
      connectionId: row.connection_id,
      at: row.heard_at,
    }));
  }

  /** Of the newest connection, for addresses that users complete; empty where there is none. */
  async function newestVariables({ id, projectId }: Owner): Promise<Record<string, string>> {
    const row = await db('connections')
      .where({ integration_id: id, project_id: projectId, organization_client_id: null })
      .orderBy('id', 'desc')
      .first<{ variables: Record<string, string> } | undefined>('variables');
    return row?.variables ?? {};
  }

  async function refreshAnswer({ id, projectId }: Owner): Promise<RefreshResponse | undefined> {
    const row = await db('connections')
      .where({ id, project_id: projectId })
      .first(
        'refreshed_at',
        'refresh_heard_at',
        'refresh_status',
        'refresh_error',
        'refresh_words',
        'refresh_retry_at',
        'refresh_client_refused',
        'access_token_lifetime_seconds',
      );
    return (
      row && {
        refreshedAt: row.refreshed_at,
        heardAt: row.refresh_heard_at,
        status: row.refresh_status,
        error: row.refresh_error,
        words: row.refresh_words,
        retryAt: row.refresh_retry_at,
        isClientRefused: row.refresh_client_refused,
        lifetimeSeconds: row.access_token_lifetime_seconds,
      }
    );
  }

  /** Connections and their users, of an integration or of a whole project; counted up to a hundred thousand. */
  async function countUses(of: {
    projectId: string;
    integrationId?: string;
  }): Promise<{ connections: number; users: number; isAtLeast: boolean }> {
    const some = db('connections')
      .where({
        project_id: of.projectId,
        ...(of.integrationId !== undefined && { integration_id: of.integrationId }),
      })
      .limit(COUNTED_MAX)
      .select('end_user_id')
      .as('some');
    const row = await db(some).first<{ connections: string; users: string }>(
      db.raw('count(*) AS connections'),
      db.raw('count(DISTINCT end_user_id) AS users'),
    );
    const connections = Number(row?.connections ?? 0);
    return { connections, users: Number(row?.users ?? 0), isAtLeast: connections === COUNTED_MAX };
  }

  return { read, newestVariables, refreshAnswer, countUses };
}

export type ConnectionsFactsStore = ReturnType<typeof createConnectionsFactsStore>;
