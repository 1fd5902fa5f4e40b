import type { Tags } from '../lib/tags.schema.ts';

/**
 * created → opened (a browser holds it) → authorizing (at the provider) → choosing (among the grant's tenants; mostly
 * skipped) → pending (needs its user) → completed.
 */
export type ConnectSessionState =
  | 'created'
  | 'opened'
  | 'authorizing'
  | 'choosing'
  | 'pending'
  | 'completed'
  | 'failed';

export type ConnectSession = Readonly<{
  id: string;
  projectId: string;
  /** Of the user or the organization that the connection is for. */
  endUserId: string;
  /** Who authorizes; null: the person that the backend gives the link to. */
  personId: string | null;
  /** Tags for the connection. */
  tags: Tags;
  integrationId: string | null;
  /** The version of an organization's OAuth client that the authorization under way is with; null: the integration's own. */
  organizationClientId: string | null;
  /** The only ones that may be used; null: all of the project. */
  integrationIds: readonly string[] | null;
  connectionId: string | null;
  /** The tenant that the connection is to have; null: the only one, or the user's choice. */
  tenantId: string | null;
  /** Variables that only the application gives, such as the person for whom a key acts. */
  applicationVariables: Record<string, string>;
  origin: string | null;
  returnUrl: string | null;
  /** Language of the hosted pages, as a BCP 47 tag; null: what the browser asks for. */
  locale: string | null;
  display: 'page' | 'popup';
  allowMultiple: boolean;
  completion: 'same_user' | 'link';
  madeByKind: 'end_user' | 'api_key' | 'operator';
  madeById: string;
  /** The personal access token by which an operator made it; null: another maker, or the dashboard. */
  madeByTokenId: string | null;
  state: ConnectSessionState;
  browserHash: Buffer | null;
  variables: Record<string, string>;
  errorCode: string | null;
  /** The connection that completing it made or renewed. */
  resultConnectionId: string | null;
  expiresAt: Date;
}>;

export type NewConnectSession = Omit<
  ConnectSession,
  | 'id'
  | 'organizationClientId'
  | 'state'
  | 'browserHash'
  | 'variables'
  | 'errorCode'
  | 'resultConnectionId'
  | 'expiresAt'
> & { tokenHash: Buffer; lifetimeSeconds: number };

/** True where no page asks its user anything any more: something came of it, or nothing. */
export function hasEnded({ state }: Pick<ConnectSession, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'pending';
}

/** As it stands in the table. */
export type ConnectSessionRow = {
  id: string;
  project_id: string;
  end_user_id: string;
  /** Null in rows of the release before, whose user it is. */
  person_id: string | null;
  tags: Record<string, string>;
  integration_id: string | null;
  organization_client_id: string | null;
  integration_ids: string[] | null;
  connection_id: string | null;
  tenant_id: string | null;
  application_variables: Record<string, string>;
  token_hash: Buffer;
  origin: string | null;
  return_url: string | null;
  locale: string | null;
  display: 'page' | 'popup';
  allow_multiple: boolean;
  completion: 'same_user' | 'link';
  made_by_kind: 'end_user' | 'api_key' | 'operator';
  made_by_id: string;
  made_by_token_id: string | null;
  state: ConnectSessionState;
  browser_hash: Buffer | null;
  oauth_state_hash: Buffer | null;
  /** The state of the authorization that was answered last. */
  answered_state_hash: Buffer | null;
  pkce_verifier_sealed: string | null;
  variables: Record<string, string>;
  completion_code_hash: Buffer | null;
  pending_sealed: string | null;
  granted_account_id: string | null;
  granted_account_name: string | null;
  error_code: string | null;
  result_connection_id: string | null;
  authorizing_at: Date | null;
  expires_at: Date;
};

export type TimedRow = ConnectSessionRow & { is_expired: boolean };

/** Without what no other code may see: the sealed columns and the hashes of one use. */
export function fromRow(row: ConnectSessionRow): ConnectSession {
  return {
    id: row.id,
    projectId: row.project_id,
    endUserId: row.end_user_id,
    personId: row.person_id,
    tags: row.tags,
    integrationId: row.integration_id,
    organizationClientId: row.organization_client_id,
    integrationIds: row.integration_ids,
    connectionId: row.connection_id,
    tenantId: row.tenant_id,
    applicationVariables: row.application_variables,
    origin: row.origin,
    returnUrl: row.return_url,
    locale: row.locale,
    display: row.display,
    allowMultiple: row.allow_multiple,
    completion: row.completion,
    madeByKind: row.made_by_kind,
    madeById: row.made_by_id,
    madeByTokenId: row.made_by_token_id,
    state: row.state,
    browserHash: row.browser_hash,
    variables: row.variables,
    errorCode: row.error_code,
    resultConnectionId: row.result_connection_id,
    expiresAt: row.expires_at,
  };
}
