import type { IncomingHttpHeaders } from 'node:http';

/** An organization as the principal of one of its users has it. */
export type PrincipalOrganization = {
  /** The gateway's id. */
  readonly id: string;
  /** The application's own. */
  readonly name: string;
  /** The token lets its user connect accounts for it, and end what is connected. */
  readonly isManaged: boolean;
};

/** The party that a management request acts for, identified by its credential. */
export type Principal = (
  | {
      readonly kind: 'operator';
      readonly operatorId: string;
      /** The browser session of a signed-in operator; undefined with a personal access token. */
      readonly sessionId?: string | undefined;
      /** The personal access token; undefined in a browser's session. */
      readonly personalAccessTokenId?: string | undefined;
    }
  | {
      readonly kind: 'api_key';
      readonly apiKeyId: string;
      /** The first of the keys that were rotated one into the next until this one; undefined: this one. */
      readonly lineageId?: string | undefined;
      readonly projectId: string;
      /** What it may do, by the names of `key-scopes.ts`. */
      readonly scopes: readonly string[];
    }
  | {
      readonly kind: 'end_user';
      readonly projectId: string;
      readonly endUserId: string;
      readonly subject: string;
      /** Where the token says that the user belongs. */
      readonly organization?: PrincipalOrganization | undefined;
      /** The token says what it may do at providers; of the management API it reads alone. */
      readonly hasMandate?: boolean | undefined;
    }
) & {
  /** The address that the request came from, for the audit log. */
  readonly sourceAddress?: string | undefined;
  /** The request that it is known from, for the audit log. */
  readonly requestId?: string | undefined;
};

export type PrincipalKind = Principal['kind'];

/** The member of the union for the given kinds; `undefined` where no credentials are needed. */
export type PrincipalOf<Kinds extends readonly PrincipalKind[]> = Kinds extends readonly []
  ? undefined
  : Extract<Principal, { kind: Kinds[number] }>;

/** What an authenticator may look at: header fields only, never the URL or the body (RFC 6750 section 2). */
export type AuthenticationRequest = {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
  /** The address of the caller, by the proxies that are trusted. */
  readonly address: string;
  /** The same, or its /64. */
  readonly network: string;
  /** The network has sent more wrong credentials than it may: looking these up can wait for others of the kind. */
  readonly isSuspect: boolean;
};

/**
 * Finds out who is calling. Throws HttpError `token_missing`, `token_invalid`, `token_expired`, `token_revoked`, `signed_out` or
 * `address_not_allowed`.
 */
export type Authenticate = (request: AuthenticationRequest) => Promise<Principal>;

const NAMES: Readonly<Record<PrincipalKind, string>> = {
  operator: 'an operator',
  api_key: 'a project API key',
  end_user: 'an end user',
};

/** "an operator or a project API key": for sentences that say who may do something. */
export function namePrincipals(kinds: readonly PrincipalKind[]): string {
  return kinds.map((kind) => NAMES[kind]).join(' or ');
}

/** Who may call an operation, for one who may not; where it takes operators alone, with what they call and where that is made. */
export function describeCallers(kinds: readonly PrincipalKind[]): string {
  const sentence = `Only ${namePrincipals(kinds)} may call this operation`;
  const isForOperators = kinds.every((kind) => kind === 'operator');
  return isForOperators
    ? `${sentence}, with a personal access token (\`igo_…\`): make one in the dashboard, on the page of your account.`
    : `${sentence}.`;
}

/** The id that stands for the principal in logs and limits. Never the subject, which is the application's own. */
export function principalId(principal: Principal): string {
  switch (principal.kind) {
    case 'operator':
      return principal.operatorId;
    case 'api_key':
      return principal.apiKeyId;
    case 'end_user':
      return principal.endUserId;
  }
}

/**
 * One text per principal, unique over all kinds: the key of rate limits and idempotency. An API key has that of the key that it
 * was rotated from, for the same backend goes on with it.
 */
export function principalKey(principal: Principal): string {
  const id = principal.kind === 'api_key' ? readLineage(principal) : principalId(principal);
  return `${principal.kind}:${id}`;
}

/** What all keys have in common that were rotated one into the next. */
export function readLineage({ apiKeyId, lineageId = apiKeyId }: PrincipalOf<['api_key']>): string {
  return lineageId;
}
