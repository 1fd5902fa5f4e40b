import type { WaitRules } from '../catalog/facts/read-retry-after.ts';
import type { CredentialPlacement } from '../lib/credential-placement.ts';
import type { AccessFacts } from '../mandates/call.ts';
import type { ClientCertificate } from '../platform/client-certificate.ts';
import type { CallSigner } from '../request-signing/call-signer.ts';

/**
 * A place besides `Authorization: Bearer` where the provider's own clients put their credential (catalog data), and
 * where the user JWT may therefore stand: another scheme, a header of its own, or one half of Basic.
 * There is no query place: RFC 6750 section 5.3 keeps bearer tokens out of URLs.
 */
export type CallerCredential =
  | { readonly in: 'scheme'; readonly scheme: string }
  | {
      readonly in: 'header';
      readonly name: string;
      /** The credential goes here as well, in the place of the connection's placement. */
      readonly carriesCredential?: true | undefined;
    }
  | { readonly in: 'basic'; readonly part: 'username' | 'password' }
  /**
   * A client that signs calls itself has it for its key id, in `Authorization: <scheme> …, <parameter>=<token>`. With
   * another key id there, the whole signature is taken for one made with stand-in keys, and dropped.
   */
  | { readonly in: 'signature'; readonly scheme: string; readonly parameter: string };

/** The origin and base path of the provider's API for one connection, already filled and checked. */
export type ApiBase = {
  /** `scheme://host[:port]`, the key of the connection pool and of the caps per origin. */
  readonly origin: string;
  readonly protocol: 'http:' | 'https:';
  /** Host name or address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `''` or `/x/y`; never a trailing slash. */
  readonly basePath: string;
};

/** Further hosts of a provider's API for one connection, by their names in proxy paths. */
export type ApiHosts = {
  readonly names: readonly string[];
  find(
    name: string,
  ):
    | { readonly ok: true; readonly base: ApiBase }
    | { readonly ok: false; readonly reason: 'unknown' }
    | { readonly ok: false; readonly reason: 'incomplete'; readonly variable: string };
};

/** How a provider refuses a credential with another status than 401. */
export type CallRefusal = {
  readonly statuses: ReadonlySet<number>;
  /** A newer credential can be had, so that the call is worth another attempt. */
  readonly isRenewed: boolean;
  /** Judges a short body, by its fields `Content-Type` and `Content-Encoding`. */
  isRefused(
    fields: { readonly type: string | undefined; readonly coding: string | undefined },
    body: Buffer,
  ): boolean;
};

/**
 * The values that the application has given, by names in small letters, of fields as `foldFieldName` writes them. Undefined:
 * the application gave none, so that a call must not send the field either.
 */
export type ApplicationFields = {
  readonly headers: ReadonlyMap<string, string | undefined>;
  readonly query: ReadonlyMap<string, string | undefined>;
};

/** One connection, chosen for this call. Keep the object while it is warm: the proxy compares and caches by identity. */
export type ResolvedConnection = {
  readonly projectId: string;
  readonly connectionId: string;
  readonly integrationId: string;
  /** The gateway's id of the end user or organization that has it, as `integrationUserId` shows it. */
  readonly endUserId: string;
  /** The organization that has it; unset: a user has. */
  readonly organization?: string | undefined;
  readonly providerId: string;
  readonly apiBase: ApiBase;
  /** Hosts beside the API base; unset: the provider has none. */
  readonly apiHosts?: ApiHosts | undefined;
  /** Header fields that the provider wants (an API version); what the caller sends itself wins. */
  readonly apiHeaders: readonly (readonly [name: string, value: string])[];
  /** How long its answers may take, where the limits of the gateway are too short. */
  readonly timeouts?: {
    readonly firstByteSeconds?: number | undefined;
    readonly idleSeconds?: number | undefined;
  };
  /** Its event streams stay open, silent or not, until either side ends them (Model Context Protocol). */
  readonly hasOpenStreams?: boolean;
  /** What its answers that mean "later" look like, beyond `Retry-After`. */
  readonly waitRules?: WaitRules;
  /** What its answers beside 401 look like that refuse the credential. */
  readonly callRefused?: CallRefusal | undefined;
  /** Members of its JSON answers that hold absolute addresses of the API. */
  readonly linkMembers?: readonly string[];
  /** Fields of the provider's answers that pass although their names read like those of browsers, in lower case. */
  readonly responseHeaders?: ReadonlySet<string>;
  /** What requests do beyond what their methods say; asked only where a token has a mandate. */
  readonly accessFactsAt?: ((host: string | undefined) => AccessFacts | undefined) | undefined;
  /** Query parameters that the provider wants, ready to append unless the caller sends one of that name. */
  readonly apiQuery: readonly (readonly [name: string, parameter: string])[];
  /** What says whom the integration's key acts for, so that callers must not; unset: nothing does. */
  readonly applicationFields?: ApplicationFields | undefined;
  readonly placement: CredentialPlacement;
  /** Signs each attempt; unset: the credential is sent as it is. */
  readonly signer?: CallSigner | undefined;
  /** Shown in the TLS handshakes of its calls, whose connections are no other certificate's. */
  readonly clientCertificate?: ClientCertificate | undefined;
};

/**
 * A usable credential. `values` holds what the templates name (`accessToken`, `apiKey`, `username`, `password`, and
 * variables). `version` grows with every refresh. Keep the object while it is warm.
 */
export type Credential = {
  readonly version: number;
  readonly values: Readonly<Record<string, string>>;
};
