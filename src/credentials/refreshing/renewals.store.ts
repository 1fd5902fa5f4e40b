import type { Db } from '../../platform/postgres/database.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** A provider whose access tokens renew themselves; `marginSeconds` is what its file says, null where it says nothing. */
export type RenewingProvider = Readonly<{ id: string; grant: string | null; marginSeconds: number | null }>;

type Row = {
  id: string;
  project_id: string;
  integration_id: string;
  credentials_version: number;
  party: string;
};

/** A connection whose token is to be renewed, and the party that owns its project. */
export type DueRenewal = RefreshTarget & { readonly party: string };

/**
 * The time is that of `refreshMarginMs`, without its spread: half of the token's life before expiry unless the file
 * names another, and never more than four fifths. A day where the token's lifetime is unknown, a year at the most: a
 * file may name any number.
 */
const DUE = `
  WITH renewing AS (
    SELECT i.id, p.margin
      FROM integrations i
      JOIN jsonb_to_recordset(?::jsonb) AS p (id text, "grant" text, margin double precision)
        ON p.id = i.service_provider AND p."grant" IS NOT DISTINCT FROM i."grant"
    UNION ALL
    SELECT i.id, (d.description ->> 'refreshBeforeExpirySeconds')::double precision
      FROM integrations i
      JOIN custom_providers d ON d.project_id = i.project_id AND d.provider = i.service_provider
     WHERE i."grant" IS NULL
       AND d.description ->> 'auth' = 'oauth2' AND d.description ->> 'refreshWith' = 'access_token'
    UNION ALL
    SELECT i.id, coalesce(g.fields ->> 'refreshBeforeExpirySeconds',
                          d.description ->> 'refreshBeforeExpirySeconds')::double precision
      FROM integrations i
      JOIN custom_providers d ON d.project_id = i.project_id AND d.provider = i.service_provider
      JOIN LATERAL jsonb_array_elements(coalesce(d.description -> 'grants', '[]')) AS g (fields)
        ON g.fields ->> 'id' = i."grant"
     WHERE g.fields ->> 'auth' = 'oauth2'
       AND coalesce(g.fields ->> 'refreshWith',
                    CASE d.description ->> 'auth' WHEN 'oauth2' THEN d.description ->> 'refreshWith' END) = 'access_token'
  )
  , due AS (
  SELECT c.id, c.project_id, c.integration_id, c.credentials_version, c.access_token_expires_at
    FROM renewing r
    JOIN integrations shown ON shown.id = r.id AND shown.deleted_at IS NULL
    JOIN connections c ON c.integration_id = r.id
   WHERE c.status = 'active'
     AND NOT EXISTS (SELECT FROM projects f WHERE f.id = c.project_id AND f.frozen_at IS NOT NULL)
     AND c.access_token_expires_at > now()
     AND c.access_token_expires_at <= now() + make_interval(secs => least(
           coalesce(r.margin, c.access_token_lifetime_seconds * 0.5, 86400),
           c.access_token_lifetime_seconds * 0.8,
           31536000))
     AND (c.refresh_lease_until IS NULL OR c.refresh_lease_until < now())
     AND (c.refresh_retry_at IS NULL OR c.refresh_retry_at <= now())
  ), owned AS MATERIALIZED (
    SELECT project_id, party_of_project(project_id) AS party FROM (SELECT DISTINCT project_id FROM due) AS projects
  )
  SELECT due.*, owned.party FROM due JOIN owned USING (project_id)
   ORDER BY row_number() OVER (PARTITION BY owned.party ORDER BY access_token_expires_at), access_token_expires_at
   LIMIT ?`;

/** SQL over the connections of all projects, for the gateway's own background work. */
export function createRenewalsStore({ db }: { db: Db }) {
  return {
    /** Ids of the providers that any project has an integration of. */
    async listUsedProviders(): Promise<string[]> {
      return db('integrations').distinct().pluck('service_provider');
    },

    /**
     * Connections whose access token is to be renewed by itself by now, those that end first of each party; custom ones
     * included.
     */
    async findDueOfAnyProject(providers: readonly RenewingProvider[], limit: number): Promise<DueRenewal[]> {
      const renewing = JSON.stringify(
        providers.map(({ id, grant, marginSeconds }) => ({ id, grant, margin: marginSeconds })),
      );
      const { rows } = await db.raw<{ rows: Row[] }>(DUE, [renewing, limit]);
      return rows.map((row) => ({
        connectionId: row.id,
        projectId: row.project_id,
        integrationId: row.integration_id,
        version: row.credentials_version,
        party: row.party,
        // An access token renews itself as often as it is asked to.
        reuse: { kind: 'many' },
      }));
    },
  };
}

export type RenewalsStore = ReturnType<typeof createRenewalsStore>;
