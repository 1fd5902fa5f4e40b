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
type Fields = { readonly fields: readonly string[] };
type SigningKeyDetails = {
  readonly kid: string;
  readonly kind: string;
  readonly alg: string | null;
  readonly issuer: string | null;
  readonly jwksUrl: string | null;
};
type OfPoll = { readonly integrationId: string; readonly objectType: string };
type OfUser = { readonly integrationId: string; readonly integrationUserId: string };
type FromSession = OfUser & { readonly connectSessionId: string; readonly completion: string };
/** Who used the operator command on the server, by the name of the system user. */
type ByCommand = { readonly systemUser: string };

/**
 * What each action records besides actor, time and subject. Shown to operators as it is: names, ids, counts; never a secret.
 * The actions and their details are API: they are added to, never renamed.
 */
type ProjectChanges = {
  'project.created': Name;
  'project.updated': Fields;
  'project.deleted': Name;
  'member.added': { readonly email: string; readonly role: string };
  'member.role_changed': { readonly email: string; readonly role: string };
  'member.removed': { readonly email: string; readonly role: string };
  'api_key.created': Name;
  'api_key.rotated': Name & { readonly newApiKeyId: string; readonly overlapSeconds: number };
  'api_key.revoked': Name;
  'signing_key.created': SigningKeyDetails;
  'signing_key.revoked': SigningKeyDetails;
  'user_token.created': { readonly userId: string; readonly expiresInSeconds: number };
  'invitation.created': { readonly email: string; readonly role: string };
  'invitation.deleted': { readonly email: string; readonly role: string };
  'invitation.declined': { readonly email: string; readonly role: string };
  'invitation.accepted': { readonly email: string; readonly role: string };
  'token_revocation.created': RevocationDetails;
  'token_revocation.deleted': RevocationDetails;
  'integration.created': { readonly serviceProvider: string; readonly grant?: string };
  'integration.updated': Fields;
  'integration.deleted': { readonly serviceProvider: string };
  'integration.secret_deleted': { readonly kind: 'client' | 'webhook'; readonly secretId: string };
  'integration.webhook_handshake_awaited': { readonly expiresAt: string };
  'custom_provider.created': { readonly provider: string };
  'custom_provider.updated': Fields & { readonly provider: string };
  'custom_provider.deleted': { readonly provider: string };
  'event_destination.created': { readonly host: string };
  'event_destination.updated': Fields;
  'event_destination.deleted': { readonly host: string };
  'event_destination.secret_rotated': NoDetails;
  'event_destination.enabled': { readonly reason: string };
  'event_destination.disabled': { readonly reason: string };
  'poll.created': OfPoll;
  'poll.updated': Fields;
  'poll.paused': Fields;
  'poll.resumed': Fields;
  'poll.deleted': OfPoll;
  'connect_session.created': { readonly completion: string; readonly integrationUserId: string };
  'connection.created': FromSession;
  'connection.reauthorized': FromSession;
  'connection.imported': OfUser;
  'connection.updated': OfUser & Fields & MovedToTenant;
  'connection.deleted': OfUser & { readonly unrevoked?: 'credentials_unreadable' };
  'connection.revoked': RevocationAttempts;
  'connection.revocation_failed': RevocationAttempts & { readonly errorCode: string };
  'connection.revocation_omitted': OmittedRevocation;
  'connect_session.failed': ConnectFailure;
  'connection.reauthorization_required': {
    readonly integrationId: string;
    readonly reason: string;
    readonly integrationUserId?: string;
  };
};

type MovedToTenant = {
  readonly tenantId: string | null;
  readonly tenantName: string | null;
  readonly previousTenantId: string | null;
};

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
  'personal_access_token.created': Name;
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
  const { projectId } = change;
  if (projectId === null) return [];
  switch (change.action) {
    case 'project.created':
    case 'project.updated':
    case 'project.deleted':
      return [
        { table: 'projects', projectId },
        { table: 'origins', projectId },
      ];
    case 'signing_key.created':
    case 'signing_key.revoked':
    case 'token_revocation.created':
    case 'token_revocation.deleted':
      return [{ table: 'signing_keys', projectId }];
    case 'integration.created':
    case 'integration.updated':
    case 'integration.deleted':
    case 'integration.secret_deleted':
      return [{ table: 'integrations', projectId }];
    case 'custom_provider.created':
    case 'custom_provider.updated':
    case 'custom_provider.deleted':
      return [{ table: 'custom_providers', projectId }];
    case 'connection.created':
    case 'connection.reauthorized':
    case 'connection.imported':
    case 'connection.updated':
    case 'connection.deleted':
    case 'connection.reauthorization_required':
      return [{ table: 'connections', projectId, endUserId: change.details.integrationUserId }];
    case 'member.added':
    case 'member.role_changed':
    case 'member.removed':
    case 'api_key.created':
    case 'api_key.rotated':
    case 'api_key.revoked':
    case 'user_token.created':
    case 'invitation.created':
    case 'invitation.deleted':
    case 'invitation.accepted':
    case 'invitation.declined':
    case 'integration.webhook_handshake_awaited':
    case 'event_destination.created':
    case 'event_destination.updated':
    case 'event_destination.deleted':
    case 'event_destination.secret_rotated':
    case 'event_destination.enabled':
    case 'event_destination.disabled':
    case 'poll.created':
    case 'poll.updated':
    case 'poll.paused':
    case 'poll.resumed':
    case 'poll.deleted':
    case 'connect_session.created':
    case 'connect_session.failed':
    case 'connection.revoked':
    case 'connection.revocation_failed':
    case 'connection.revocation_omitted':
      // Read from the store whenever they are needed.
      return [];
  }
}
