import type { IncomingMessage } from 'node:http';
import type { HttpError } from '../http/errors.ts';
import type { TokenRefusal } from '../http/token-refusal.ts';
import type { Rate } from '../lib/rate-limit.ts';
import type { Membership } from '../mandates/membership.ts';
import type { Actor, UserMandate } from '../mandates/user-mandate.ts';
import type { AgentSet } from '../platform/agents.ts';
import type { ClientCertificate } from '../platform/client-certificate.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Tracing } from '../platform/telemetry.ts';
import type { CallerCredential, Credential, ResolvedConnection } from './connection-contract.ts';

export type {
  ApiBase,
  ApiHosts,
  ApplicationFields,
  CallerCredential,
  CallRefusal,
  Credential,
  ResolvedConnection,
} from './connection-contract.ts';

/**
 * What the proxy needs from the rest of the gateway, as functions. It knows HTTP and nothing of projects, catalogs or
 * stores.
 *
 * Every look-up may answer at once or with a promise. A warm answer must be a plain value: the hot path then runs
 * without a single promise of ours. All of them refuse by throwing (or rejecting with) an `HttpError`.
 */

export type MaybePromise<T> = T | Promise<T>;

/** The end user that a verified user JWT names. */
export type VerifiedUser = {
  readonly projectId: string;
  readonly subject: string;
  /** Where the user belongs; undefined: the token names no organization. */
  readonly membership?: Membership | undefined;
  /** What the token may do; undefined: whatever its user may. */
  readonly mandate?: UserMandate | undefined;
  /** Who acts for the user, the current actor first. */
  readonly actors?: readonly Actor[] | undefined;
};

/** Another way into the proxy than an HTTP request of a caller: it has found out itself who calls. */
export type Door = {
  readonly user: VerifiedUser;
  /** The credential that the caller brought, which must not travel on. */
  readonly token: string;
  /** What the call is held to besides what the token itself may do. */
  readonly mandate?: UserMandate | undefined;
  /** What the program calls itself. It is shown to people, and proves nothing. */
  readonly client?: string | undefined;
};

export type ConnectionChoice = {
  readonly projectId: string;
  readonly user: VerifiedUser;
  readonly provider: string;
  readonly connectionId?: string;
  readonly integrationId?: string;
};

/** What the entry of a mandate that allows a call wants of a person first. */
export type NeededApproval = {
  /** `once`: for the first call of the token by this entry; `each`: for every call. */
  readonly mode: 'once' | 'each';
  /** Index of the entry in the mandate. */
  readonly entry: number;
  /** Stands for the entry, whichever token brings it. */
  readonly entryKey: string;
};

/** A call that needs an approval, but for its body. */
export type ApprovalQuestion = {
  readonly requestId: string;
  readonly user: VerifiedUser;
  /** The verified user JWT, for what it says of who asks. */
  readonly token: string;
  readonly needed: NeededApproval;
  readonly connection: ResolvedConnection;
  readonly provider: string;
  /** Name of a further API host; undefined: the API base. */
  readonly host: string | undefined;
  readonly method: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Header fields that the provider gets of the caller's, in their order; without those that frame or trace the message. */
  readonly fields: readonly string[];
  /** Set where the call came by another door, whose callers repeat a call without naming its approval. */
  readonly door: { readonly client: string | undefined } | undefined;
};

export type Approvals = {
  /** True where an approval for the first call of this token by the entry is enough for this one too. */
  isOpen(question: ApprovalQuestion): MaybePromise<boolean>;
  /**
   * Spends the approval `approvalId` for exactly this call: once, over all processes. Rejects with `approval_required`,
   * `approval_rejected`, `approval_used` or `approval_limit` where the call may not be sent.
   */
  spend(question: ApprovalQuestion, body: Buffer, approvalId: string | undefined): Promise<void>;
};

/** How long a call may wait for what. */
export type WaitLimits = {
  readonly connectTimeoutMs: number;
  /** Until the answer begins. */
  readonly firstByteTimeoutMs: number;
  /** Between bytes in either direction. */
  readonly idleTimeoutMs: number;
};

/** Calls in flight in this process; no cap where unset. `total` answers `503 overloaded`, the others `429 rate_limited`. */
type ConcurrencyLimits = {
  readonly total?: number;
  readonly perOrigin?: number;
  readonly perConnection?: number;
  readonly perUser?: number;
  readonly perProject?: number;
};

export type ProxyLimits = WaitLimits & {
  /** Default 100 MiB. */
  readonly requestBodyBytesMax: number;
  /** The most that a caller may ask for by `Gateway-Timeout`. */
  readonly timeoutSecondsMax: number;
  /** See `DeadlineLimits`. */
  readonly drainTimeoutMs?: number;
  readonly concurrency?: ConcurrencyLimits;
  /** Connections to one origin that calls may hold, for bare GETs and again for the rest; unset: no limit. */
  readonly socketsPerOriginMax?: number;
  /** Calls that one user of a project may make; unset: no limit. */
  readonly perUserRate?: Rate;
  /** What a project sets for its own users in the place of `perUserRate`. Answers at once, from memory. */
  readonly projectRate?: (projectId: string) => Rate | undefined;
  /** What the users of one organization may call together, where the project sets it. Answers at once, from memory. */
  readonly organizationQuota?: (projectId: string, organization: string) => Rate | undefined;
};

/** What is reported of a finished call, for the access log and the metrics. Holds no secret and no query. */
export type ProxiedCall = {
  readonly requestId: string;
  readonly projectId: string;
  readonly provider: string;
  readonly connectionId: string | undefined;
  readonly integrationId: string | undefined;
  /** The gateway's id of the connection's owner, never a name; known as soon as the connection is. */
  readonly endUserId: string | undefined;
  /** The connection is an organization's. */
  readonly isOfOrganization: boolean;
  /** Of the caller's `traceparent`. */
  readonly traceId: string | undefined;
  readonly method: string;
  /** The provider path without the query. */
  readonly path: string;
  /** Status sent to the caller; 0 when the caller left before there was one. */
  readonly status: number;
  /** `Gateway-Error` code when the answer was ours, or what cut the answer off. */
  readonly error: string | undefined;
  /** Why the user token was refused, where it was looked at: for the operators of the project alone. */
  readonly refusal: TokenRefusal | undefined;
  readonly durationMs: number;
  /** Of these, how long a request to the provider or its answer was under way; the rest is the gateway's. */
  readonly providerMs: number;
  /** Bytes of the bodies, without header sections. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /**
   * Mandates of the token, by the id of a named one or the digest of the token's own entries, with the entry that allows
   * the call; undefined where it was refused.
   */
  readonly mandates: readonly { readonly id: string; readonly entry: number | undefined }[];
  /** Who acts for the user, as the token says, the current actor first. */
  readonly actors: readonly Actor[];
  /** Requests made to the provider for this call: 0 when refused, more than 1 after retries. */
  readonly attempts: number;
};

export type ProxyLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Pools of connections; all of them refuse forbidden addresses at connect time. `ConnectionPlaces` decides whose turn it is. */
export type ProxyAgents = AgentSet & {
  /** Pools of a client certificate's own. Throws `ERR_CLIENT_CERTIFICATE_UNUSABLE`. */
  withCertificate?(certificate: ClientCertificate): Omit<ProxyAgents, 'withCertificate'>;
};

export type ProxyDependencies = {
  /** Where the error codes are explained. */
  readonly publicUrl: string;
  /** An origin of its own, on which the proxy alone answers and nowhere else; unset: it shares `publicUrl`. */
  readonly proxyUrl?: string | undefined;
  /** Values of `Gateway-Loop` that stand for this installation now, in no time; the first one is sent. */
  readonly loopMarks?: () => readonly string[];
  readonly log: ProxyLog;
  readonly metrics?: { countCall(call: ProxiedCall): void };
  /** Left out: calls have no spans. */
  readonly tracing?: Tracing;
  /** Takes the finished calls instead of `log.info`; see `createAccessLog`. */
  readonly accessLog?: (call: ProxiedCall) => void;
  /** Counts and keeps finished calls. `user` is who the verified token names, known before the connection is. */
  readonly recordCall?: (call: ProxiedCall, user: VerifiedUser | undefined) => void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1), for back-off jitter. Default `Math.random`. */
  random?(): number;
  readonly agents: ProxyAgents;
  readonly limits: ProxyLimits;
  /** Left out: rates and hourly limits are those of this process alone. */
  readonly sharedLimits?: Pick<SharedLimits, 'limit'>;

  /**
   * Throws `token_invalid`, `token_expired`, `token_revoked`, or `rate_limited` where too many bad tokens came from the
   * caller's address; an unknown project is `token_invalid`. `token` is the raw JWT, `request` the one that brought it.
   */
  verifyUserToken(projectId: string, token: string, request: IncomingMessage): MaybePromise<VerifiedUser>;
  /** Whether calls of the project are refused for now. Left out: none are. */
  isFrozen?(projectId: string): boolean;
  /** For CORS. False for an unknown project. */
  isAllowedOrigin(projectId: string, origin: string): MaybePromise<boolean>;
  /** Throws `provider_unknown`, `integration_not_found`, `connection_not_found`, `connection_ambiguous`, … */
  resolve(choice: ConnectionChoice): MaybePromise<ResolvedConnection>;
  /** A credential that is valid now, refreshed if need be. Throws `reauthorization_required`, `refresh_unavailable`, … */
  credential(connection: ResolvedConnection): MaybePromise<Credential>;
  /** After the provider refused the credential: a newer one, or null when no refresh was possible or allowed (once a minute). */
  refreshAfter401(connection: ResolvedConnection, used: Credential): Promise<Credential | null>;
  /** Left out: calls that need an approval are refused. */
  readonly approvals?: Approvals;
  /** Called once per call that goes out; must return at once. */
  noteUse(connection: ResolvedConnection): void;
  /** Called with what each response of a provider says of its rate limit; must return at once. */
  noteAnswer?(connectionId: string, status: number, rawHeaders: readonly string[]): void;
  /** Called before the caller is authenticated. Undefined: there can be no such provider. */
  callerCredentials(
    projectId: string,
    providerId: string,
  ): MaybePromise<readonly CallerCredential[] | undefined>;
  /** The refusal for an authenticated caller that names no provider. Left out: `provider_unknown` in general words. */
  unknownProviderError?(projectId: string, providerId: string): HttpError;
};
