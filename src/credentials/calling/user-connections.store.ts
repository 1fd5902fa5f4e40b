import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { withGrant } from '../../catalog/schema/provider-auth-methods.ts';
import {
  credentialsContext,
  type StoredCredentials,
  unpackCredentials,
} from '../../connections/credentials.ts';
import type { IntegrationSettings } from '../../integrations/integrations.schema.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import { type ClientRow, readIntegrationValues, readOrganizationValues } from './client-values-of-row.ts';

/** Connections of a user to one provider that are read together; where there are more, a call has to name one. */
const TOGETHER_MAX = 20;

/** What a call names. */
export type NamedConnection = {
  readonly connectionId?: string | undefined;
  readonly integrationId?: string | undefined;
};

/** Whose connections: a user's or an organization's, by the application's own id. */
export type ConnectionOwner = { readonly subject: string } | { readonly organization: string };

/** Everything that a proxied call of one user to one provider needs, as one query finds it. */
export type UserConnections = Readonly<{
  /** Of the owner; null where it has never been seen. */
  endUserId: string | null;
  /** Every integration of the provider in the project, connected or not. */
  integrations: readonly IntegrationValues[];
  /** None where there are too many. */
  connections: readonly UserConnection[];
  tooMany?: TooMany;
}>;

/** More connections than are read together: the ids of some, and how many there are. */
export type TooMany = { readonly connectionIds: readonly string[]; readonly connectionCount: number };

/** `values`: the integration's variables, secret ones included, and of its client what API calls may name. */
export type IntegrationValues = Readonly<{
  id: string;
  /** As it is for the integration's grant; undefined where the catalog has that grant no more. */
  provider: Provider | undefined;
  values: Readonly<Record<string, string>>;
  /** Tools of an MCP server that the operator has marked as reading. */
  readingTools?: readonly string[] | undefined;
}>;

export type UserConnection = Readonly<{
  connectionId: string;
  endUserId: string;
  integrationId: string;
  /** `disabled`: its integration is switched off, whatever the connection is. */
  status: 'active' | 'reauthorization_required' | 'disabled';
  /** Why it is switched off. */
  disabledReason?: string;
  /** Whose it is, where it is not a user's. */
  organization?: string;
  /** The version of an organization's client that made it, and its `values` in place of the integration's. */
  organizationClient?: { readonly id: string; readonly values: IntegrationValues['values'] };
  variables: Record<string, string>;
  credentials: StoredCredentials;
  version: number;
  /** Milliseconds until the access token expires, by the store's clock; null: not known. */
  expiresInMs: number | null;
  lifetimeSeconds: number | null;
  /** How often in a row the provider has refused its calls; left out: never. */
  callRefusals?: number;
}>;

type Row = Omit<ClientRow, 'project_id'> & {
  end_user_id: string | null;
  grant: string | null;
  disabled_reason: string | null;
  settings: IntegrationSettings;
  id: string | null;
  status: 'active' | 'reauthorization_required';
  variables: Record<string, string>;
  credentials_sealed: string;
  credentials_version: number;
  expires_in_ms: number | null;
  access_token_lifetime_seconds: number | null;
  call_refusals: number;
  organization_client_id: string | null;
};

const UNREFRESHABLE =
  'the access token has expired, and the provider gave no refresh token: let the user authorize again';

/** The single query of a cold call; a user with more connections than are read together takes another. */
export function createUserConnectionsStore({ db, vault }: { db: Db; vault: Vault }) {
  async function load(
    projectId: string,
    owner: ConnectionOwner,
    entry: Provider,
    { connectionId, integrationId }: NamedConnection = {},
  ): Promise<UserConnections> {
    const found = await db.raw<{ rows: Row[] }>(
      `SELECT u.id AS end_user_id, i.id AS integration_id, i."grant", i.client_id, i.variables AS integration_variables,
              i.client_secret_sealed, i.secret_variables_sealed, i.disabled_reason, i.settings, c.id, c.status, c.variables, c.credentials_sealed,
              c.credentials_version, c.access_token_lifetime_seconds, c.call_refusals, c.organization_client_id,
              o.client_id AS organization_client, o.variables AS organization_variables, o.client_secret_sealed AS organization_secret_sealed,
              o.secret_variables_sealed AS organization_secret_variables_sealed,
              (extract(epoch FROM c.access_token_expires_at - now()) * 1000)::bigint AS expires_in_ms
         FROM integrations i
         LEFT JOIN end_users u ON u.project_id = i.project_id AND u.${columnOf(owner)} = ?
         LEFT JOIN LATERAL (
           SELECT id, status, variables, credentials_sealed, credentials_version, access_token_lifetime_seconds,
                  access_token_expires_at, call_refusals, organization_client_id
             FROM connections
            WHERE integration_id = i.id AND project_id = i.project_id AND end_user_id = u.id
              AND id = coalesce(?::uuid, id) AND integration_id = coalesce(?::uuid, integration_id)
            LIMIT ${TOGETHER_MAX + 1}
         ) c ON true
         LEFT JOIN organization_clients o ON o.id = c.organization_client_id
        WHERE i.project_id = ? AND i.service_provider = ? AND i.deleted_at IS NULL
        ORDER BY i.id, c.id`,
      [nameOf(owner), connectionId ?? null, integrationId ?? null, projectId, entry.id],
    );
    const integrations = new Map(found.rows.map((row) => [row.integration_id, row]));
    const ids = found.rows.flatMap(({ id }) => id ?? []);
    const isTooMany = ids.length > TOGETHER_MAX;
    return {
      endUserId: found.rows[0]?.end_user_id ?? null,
      integrations: [...integrations].map(([id, row]) => integrationOf(id, row)),
      connections: isTooMany
        ? []
        : found.rows.flatMap((row) => (row.id === null ? [] : [toUserConnection(row, row.id)])),
      ...(isTooMany && {
        tooMany: {
          connectionIds: ids.slice(0, TOGETHER_MAX),
          connectionCount: await count(projectId, owner, entry.id, integrationId ?? null),
        },
      }),
    };

    function integrationOf(id: string, row: Row): IntegrationValues {
      const provider = withGrant(entry, row.grant);
      if (provider === undefined) return { id, provider, values: {} };
      const values = readIntegrationValues(vault, provider, { ...row, project_id: projectId });
      return { id, provider, values, readingTools: row.settings.readingTools };
    }

    function clientOf(row: Row): Pick<UserConnection, 'organizationClient'> {
      const provider = withGrant(entry, row.grant);
      const { organization_client_id: id } = row;
      if (provider === undefined || id === null) return {};
      const values = readOrganizationValues(vault, provider, { ...row, project_id: projectId }, id);
      return { organizationClient: { id, values } };
    }

    function toUserConnection(row: Row, connectionId: string): UserConnection {
      return {
        connectionId,
        endUserId: row.end_user_id ?? '',
        integrationId: row.integration_id,
        status: row.disabled_reason === null ? row.status : 'disabled',
        ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
        ...('organization' in owner && { organization: owner.organization }),
        ...clientOf(row),
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

  /** Shows operators why calls of this connection are refused from now on: no refresh follows its access token. */
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

  async function count(
    projectId: string,
    owner: ConnectionOwner,
    providerId: string,
    integrationId: string | null,
  ): Promise<number> {
    const found = await db.raw<{ rows: { count: number }[] }>(
      `SELECT count(*)::integer AS count
         FROM end_users u
         JOIN connections c ON c.project_id = u.project_id AND c.end_user_id = u.id
         JOIN integrations i ON i.project_id = c.project_id AND i.id = c.integration_id
        WHERE u.project_id = ? AND u.${columnOf(owner)} = ? AND i.service_provider = ? AND i.id = coalesce(?::uuid, i.id)
          AND i.deleted_at IS NULL`,
      [projectId, nameOf(owner), providerId, integrationId],
    );
    return found.rows[0]?.count ?? 0;
  }

  return { load, noteUnrefreshable };
}

function columnOf(owner: ConnectionOwner): 'subject' | 'organization' {
  return 'subject' in owner ? 'subject' : 'organization';
}

function nameOf(owner: ConnectionOwner): string {
  return 'subject' in owner ? owner.subject : owner.organization;
}

export type UserConnectionsStore = ReturnType<typeof createUserConnectionsStore>;
