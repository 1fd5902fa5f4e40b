import type { Principal } from '../http/principal.ts';
import type { Notice } from '../platform/change-notices.ts';

/** Changes that no principal asked for, such as a refresh that failed for good, are made by the gateway itself. */
export type Actor =
  | Principal
  | {
      readonly kind: 'gateway';
      readonly sourceAddress?: undefined;
      /** Of the request in which the gateway noticed it. */
      readonly requestId?: string | undefined;
    };

type Name = { readonly name: string };
type AsRole = { readonly email: string; readonly role: string };
type Fields = { readonly fields: readonly string[] };
/** Null: from anywhere. */
type Addresses = { readonly allowedAddresses: readonly string[] | null };
type KeyLimits = Addresses & { readonly scopes: readonly string[] };
type SigningKeyDetails = {
  readonly kid: string;
  readonly kind: string;
  readonly alg: string | null;
  readonly issuer: string | null;
  readonly jwksUrl: string | null;
};
type OfPoll = { readonly integrationId: string; readonly objectType: string };
type OfUser = { readonly integrationId: string; readonly integrationUserId: string };
type FromSession = OfUser & {
  readonly connectSessionId: string;
  readonly completion: string;
  /** Who has connected it for an organization. */
  readonly connectedBy?: string;
};
/** An organization's own OAuth client; the organization by the gateway's id. */
type OfOrganizationClient = Fields & {
  readonly integrationUserId: string;
  readonly organizationClientId: string;
};
/** Who used the operator command on the server, by the name of the system user. */
type ByCommand = { readonly systemUser: string };

type MovedToTenant = {
  readonly tenantId: string | null;
  readonly tenantName: string | null;
  readonly previousTenantId: string | null;
};

/** A call that waits for a person's word, or got it. */
type OfApproval = OfUser & {
  readonly connectionId: string;
  readonly serviceProvider: string;
  readonly method: string;
  readonly mode: string;
};

/** What a person has allowed an agent's client. */
type OfConsent = { readonly integrationUserId: string; readonly clientId: string };

/** How many requests asked the provider to revoke a deleted connection's tokens. */
export type RevocationAttempts = {
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly attempts: number;
};

/** A grant that was not revoked, since the provider would end another connection with it. */
export type OmittedRevocation = {
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly outcome: 'kept for another connection';
};

type ConnectFailure = {
  readonly integrationId: string | null;
  readonly integrationUserId: string;
  readonly serviceProvider?: string;
  readonly code: string;
  readonly reason: string | undefined;
  readonly providerCode: string | undefined;
  readonly providerWords: string | undefined;
  readonly requestId: string;
  readonly missingScopes?: readonly string[];
  readonly refusedVariable?: string;
  /** What the diagnosis makes of it: codes and remedies of its table. */
  readonly findings: readonly { readonly code: string; readonly title: string; readonly remedy: string }[];
};

type RevocationDetails = {
  readonly jti: string | null;
  readonly userId: string | null;
  readonly issuedBefore: string | null;
};

/** An action's details, which are a type only, and the tables whose rows every process drops from memory after it. */
type Action<Details> = { readonly stale: readonly Notice['table'][]; readonly details?: Details };

function action<Details>(...stale: Notice['table'][]): Action<Details> {
  return { stale };
}

/**
 * Every action in a project: what it records besides actor, time and subject, and what it makes stale. Details are shown to
 * operators as they are: names, ids, counts; never a secret. The actions and their details are API: they are added to,
 * never renamed.
 */
export const PROJECT_ACTIONS = {
  'project.created': action<Name>('projects', 'origins'),
  'project.updated': action<Fields>('projects', 'origins'),
  'project.deleted': action<Name>('projects', 'origins'),
  'project.frozen': action<{ readonly reason: string | null }>('projects'),
  'project.unfrozen': action<NoDetails>('projects'),
  'configuration.applied': action<{
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly stateHash: string;
  }>(),
  'project.revocation_started': action<{ readonly revocationId: string }>(),
  'project.revocation_ended': action<{ readonly revocationId: string; readonly unrevoked: number }>(),
  'member.added': action<AsRole>(),
  'member.role_changed': action<AsRole>(),
  'member.removed': action<AsRole>(),
  'api_key.created': action<Name & KeyLimits>(),
  'api_key.updated': action<Name & Fields & KeyLimits & { readonly previous: Name & KeyLimits }>(),
  'api_key.rotated': action<Name & { readonly newApiKeyId: string; readonly overlapSeconds: number }>(),
  'api_key.address_refused': action<NoDetails>(),
  'api_key.revoked': action<Name>(),
  'signing_key.created': action<SigningKeyDetails>('signing_keys'),
  'signing_key.revoked': action<SigningKeyDetails>('signing_keys'),
  'user_token.created': action<{ readonly userId: string; readonly expiresInSeconds: number }>(),
  'mandate.created': action<Name>('mandates'),
  'mandate.updated': action<Name & Fields & { readonly state?: 'active' | 'frozen' }>('mandates'),
  'mandate.deleted': action<Name>('mandates'),
  'invitation.created': action<AsRole>(),
  'invitation.deleted': action<AsRole>(),
  'invitation.declined': action<AsRole>(),
  'invitation.accepted': action<AsRole>(),
  'token_revocation.created': action<RevocationDetails>('signing_keys'),
  'token_revocation.deleted': action<RevocationDetails>('signing_keys'),
  'integration.created': action<{ readonly serviceProvider: string; readonly grant?: string }>(
    'integrations',
  ),
  'integration.updated': action<Fields>('integrations'),
  'integration.deleted': action<{ readonly serviceProvider: string }>('integrations'),
  'integration.secret_deleted': action<{ readonly kind: 'client' | 'webhook'; readonly secretId: string }>(
    'integrations',
  ),
  'integration.client_created': action<OfOrganizationClient>('organization_clients'),
  'integration.client_updated': action<OfOrganizationClient>('organization_clients'),
  'integration.client_deleted': action<OfOrganizationClient>('organization_clients'),
  'integration.webhook_handshake_awaited': action<{ readonly expiresAt: string }>(),
  'custom_provider.created': action<{ readonly provider: string }>('custom_providers'),
  'custom_provider.updated': action<Fields & { readonly provider: string }>('custom_providers'),
  'custom_provider.deleted': action<{ readonly provider: string }>('custom_providers'),
  'event_destination.created': action<{ readonly host: string }>(),
  'event_destination.updated': action<Fields>(),
  'event_destination.deleted': action<{ readonly host: string }>(),
  'event_destination.secret_rotated': action<NoDetails>(),
  'event_destination.enabled': action<{ readonly reason: string }>(),
  'event_destination.disabled': action<{ readonly reason: string }>(),
  'poll.created': action<OfPoll>(),
  'poll.updated': action<Fields>(),
  'poll.paused': action<Fields>(),
  'poll.resumed': action<Fields>(),
  'poll.deleted': action<OfPoll>(),
  'connect_session.created': action<{ readonly completion: string; readonly integrationUserId: string }>(),
  'portal_session.created': action<{ readonly integrationUserId: string }>(),
  'connection.created': action<FromSession>('connections'),
  'connection.reauthorized': action<FromSession>('connections'),
  'connection.imported': action<OfUser>('connections'),
  'connection.used': action<OfUser & { readonly serviceProvider: string }>(),
  'connection.updated': action<OfUser & Fields & MovedToTenant>('connections'),
  'connection.annotated': action<OfUser & Fields>('connections'),
  'connection.deleted': action<
    OfUser & { readonly unrevoked?: 'credentials_unreadable'; readonly cause?: 'user_erased' | 'all_revoked' }
  >('connections'),
  'user.erased': action<{ readonly erasureId: string }>('signing_keys'),
  'user.erasure_ended': action<{ readonly erasureId: string; readonly unrevoked: number }>(),
  'organization.updated': action<Fields>('projects'),
  'organization.erased': action<{ readonly erasureId: string }>(),
  'organization.erasure_ended': action<{ readonly erasureId: string; readonly unrevoked: number }>(),
  'approval.requested': action<OfApproval>(),
  'approval.approved': action<OfApproval>(),
  'approval.rejected': action<OfApproval>(),
  'approval.expired': action<OfApproval>(),
  'approval.used': action<OfApproval>(),
  'agent_consent.created': action<OfConsent & { readonly access: string }>('agent_consents'),
  'agent_consent.withdrawn': action<OfConsent & { readonly cause?: 'reuse' | 'revocation' | 'client' }>(
    'agent_consents',
  ),
  'connection.revoked': action<RevocationAttempts>(),
  'connection.revocation_failed': action<RevocationAttempts & { readonly errorCode: string }>(),
  'connection.revocation_omitted': action<OmittedRevocation>(),
  'connect_session.failed': action<ConnectFailure>(),
  'connection.reauthorization_required': action<{
    readonly integrationId: string;
    readonly reason: string;
    readonly integrationUserId?: string;
  }>('connections'),
};

type ProjectChanges = {
  readonly [Name in keyof typeof PROJECT_ACTIONS]: (typeof PROJECT_ACTIONS)[Name] extends Action<
    infer Details
  >
    ? Details
    : never;
};

/** Changes that belong to no project. */
type OperatorChanges = {
  'operator.created': { readonly email: string } & Partial<ByCommand>;
  'operator.updated': Fields;
  'operator.password_changed': { readonly endedTokens: number };
  'operator.password_reset_requested': Partial<ByCommand>;
  'operator.address_verified': { readonly by: string; readonly endedTokens: number };
  'operator.otp_enabled': NoDetails;
  'operator.otp_disabled': Partial<ByCommand>;
  'operator.recovery_code_used': { readonly left: number };
  'operator.single_sign_on_linked': { readonly issuer: string };
  'operator.password_reset': Partial<ByCommand> & { readonly endedTokens?: number };
  'operator.token_issued': ByCommand & { readonly personalAccessTokenId: string };
  'operator.listed': ByCommand;
  'gateway_owner.added': { readonly email: string } & Partial<ByCommand>;
  'gateway_owner.removed': NoDetails;
  'gateway.resumed': { readonly probe: boolean };
  'gateway.catalog_taken': ByCommand & { readonly version: string; readonly integrity: string | null };
  'personal_access_token.created': Name & Addresses;
  'personal_access_token.rotated': Name & { readonly newTokenId: string; readonly overlapSeconds: number };
  'personal_access_token.updated': Name & Fields & Addresses & { readonly previous: Name & Addresses };
  'personal_access_token.address_refused': NoDetails;
  'personal_access_token.revoked': NoDetails;
  'session.created': SessionDetails;
  'session.ended': NoDetails;
};

type NoDetails = Readonly<Record<never, never>>;

/** How an operator signed in. */
export type SessionDetails = {
  readonly method: 'password' | 'single_sign_on' | 'set_up' | 'invitation' | 'password_reset' | 'role_change';
  readonly secondFactor: boolean;
};

type ChangeOf<Changes, Scope> = {
  readonly [Action in keyof Changes]: {
    readonly action: Action;
    readonly actor: Actor;
    readonly projectId: Scope;
    readonly subjectId: string | null;
    readonly details: Changes[Action];
  };
}[keyof Changes];

export type ProjectChange = ChangeOf<ProjectChanges, string>;

/** `Omit` for each member of a union, so that an action keeps its details. */
export type DistributiveOmit<Union, Keys extends PropertyKey> = Union extends unknown
  ? Omit<Union, Keys>
  : never;

/** A change by an actor, as the audit log, the caches and later the event outbox receive it. */
export type Change = ProjectChange | ChangeOf<OperatorChanges, null>;

/** What a change is about: the word before the dot, except that members are operators. */
export function findSubjectKind({ action }: Pick<Change, 'action'>): string {
  const [kind = ''] = action.split('.');
  return kind === 'member' ? 'operator' : kind;
}

/** The rows that every process must drop from memory because of the change. */
export function listNotices(change: Change): readonly Notice[] {
  if (change.projectId === null) return [];
  const { projectId, details } = change;
  const endUserId = 'integrationUserId' in details ? details.integrationUserId : undefined;
  return PROJECT_ACTIONS[change.action].stale.map((table) =>
    table === 'connections' ? { table, projectId, endUserId } : { table, projectId },
  );
}
