import { clientValues, needsClientSecret } from '../catalog/client-values.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import { withGrant } from '../catalog/provider-grants.ts';
import { templateValues } from '../catalog/template-values.ts';
import { credentialsContext, type StoredCredentials, unpackCredentials } from '../connections/credentials.ts';
import { openSecretVariables } from '../integrations/secret-variables.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';

/** Everything that a proxied call of one user to one provider needs, as one query finds it. */
export type UserConnections = Readonly<{
  /** Null where the user has never been seen. */
  endUserId: string | null;
  /** Every integration of the provider in the project, connected or not. */
  integrations: readonly IntegrationValues[];
  connections: readonly UserConnection[];
}>;

/** `values`: the integration's variables, secret ones included, and of its client what API calls may name. */
export type IntegrationValues = Readonly<{
  id: string;
  /** As it is for the integration's grant; undefined where the catalog has that grant no more. */
  provider: Provider | undefined;
  values: Readonly<Record<string, string>>;
}>;

export type UserConnection = Readonly<{
  connectionId: string;
  endUserId: string;
  integrationId: string;
  status: 'active' | 'reauthorization_required';
  variables: Record<string, string>;
  credentials: StoredCredentials;
  version: number;
  /** Milliseconds until the access token expires, by the store's clock; null: not known. */
  expiresInMs: number | null;
  lifetimeSeconds: number | null;
  /** How often in a row the provider has refused its calls; left out: never. */
  callRefusals?: number;
}>;

type Row = {
  end_user_id: string | null;
  integration_id: string;
  grant: string | null;
  client_id: string | null;
  integration_variables: Record<string, string>;
  client_secret_sealed: string | null;
  secret_variables_sealed: string | null;
  id: string | null;
  status: 'active' | 'reauthorization_required';
  variables: Record<string, string>;
  credentials_sealed: string;
  credentials_version: number;
  expires_in_ms: number | null;
  access_token_lifetime_seconds: number | null;
  call_refusals: number;
};

const UNREFRESHABLE =
  'the access token has expired, and the provider gave no refresh token: let the user authorize again';

/** The single query of a cold call. */
export function createUserConnectionsStore({ db, vault }: { db: Db; vault: Vault }) {
  async function load(projectId: string, subject: string, entry: Provider): Promise<UserConnections> {
    const found = await db.raw<{ rows: Row[] }>(
      `SELECT u.id AS end_user_id, i.id AS integration_id, i."grant", i.client_id, i.variables AS integration_variables,
              i.client_secret_sealed, i.secret_variables_sealed, c.id, c.status, c.variables, c.credentials_sealed,
              c.credentials_version, c.access_token_lifetime_seconds, c.call_refusals,
              (extract(epoch FROM c.access_token_expires_at - now()) * 1000)::bigint AS expires_in_ms
         FROM integrations i
         LEFT JOIN end_users u ON u.project_id = i.project_id AND u.subject = ?
         LEFT JOIN connections c ON c.integration_id = i.id AND c.project_id = i.project_id AND c.end_user_id = u.id
        WHERE i.project_id = ? AND i.service_provider = ?
        ORDER BY i.id, c.id`,
      [subject, projectId, entry.id],
    );
    const integrations = new Map(found.rows.map((row) => [row.integration_id, row]));
    return {
      endUserId: found.rows[0]?.end_user_id ?? null,
      integrations: [...integrations].map(([id, row]) => integrationOf(id, row)),
      connections: found.rows.flatMap((row) => (row.id === null ? [] : [toUserConnection(row, row.id)])),
    };

    function integrationOf(id: string, row: Row): IntegrationValues {
      const provider = withGrant(entry, row.grant);
      if (provider === undefined) return { id, provider, values: {} };
      const secrets = openSecretVariables(vault, { id, projectId }, row.secret_variables_sealed);
      const secret = needsClientSecret(provider) ? clientSecret(id, row.client_secret_sealed) : undefined;
      const ofClient = clientValues(provider, row.client_id ?? '', secret);
      return {
        id,
        provider,
        values: templateValues({
          integration: row.integration_variables,
          integrationSecrets: secrets,
          gateway: ofClient,
        }),
      };
    }

    function clientSecret(rowId: string, sealed: string | null): string | undefined {
      const context = { table: 'integrations', column: 'client_secret_sealed', rowId, projectId };
      return sealed === null ? undefined : vault.open(sealed, context);
    }

    function toUserConnection(row: Row, connectionId: string): UserConnection {
      return {
        connectionId,
        endUserId: row.end_user_id ?? '',
        integrationId: row.integration_id,
        status: row.status,
        variables: row.variables,
        credentials: unpackCredentials(
          vault.open(row.credentials_sealed, credentialsContext(connectionId, projectId)),
        ),
        version: row.credentials_version,
        expiresInMs: row.expires_in_ms === null ? null : Number(row.expires_in_ms),
        lifetimeSeconds: row.access_token_lifetime_seconds,
        callRefusals: row.call_refusals,
      };
    }
  }

  /** Tells operators why calls of this connection are refused from now on: no refresh follows its access token. */
  async function noteUnrefreshable({
    connectionId,
    projectId,
  }: {
    readonly connectionId: string;
    readonly projectId: string;
  }): Promise<void> {
    await db('connections')
      .where({ id: connectionId, project_id: projectId, status: 'active' })
      .where('access_token_expires_at', '<=', db.fn.now())
      .whereNull('status_reason')
      .update({ status_reason: UNREFRESHABLE });
  }

  return { load, noteUnrefreshable };
}

export type UserConnectionsStore = ReturnType<typeof createUserConnectionsStore>;
