import type { ApiAnswer } from '../provider-apis/server.ts';

/** Codes of the gateway's refusals that every client is shown. */
export type Refusal = 'token_invalid' | 'connection_not_found';

/** What an application gives to a client in place of the provider's address and credential. */
export type Access = { readonly proxyUrl: string; readonly token: string };

/** One call of one unmodified client: how it is pointed at the proxy, and what must come of it. */
export type TriedClient = {
  /** The name of its package. */
  readonly client: string;
  /** The id of the provider in the catalog. */
  readonly provider: string;
  /** Credentials of the user's connection. `accessToken` stands for an OAuth grant. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Method, host and path of the call as the provider must get it. */
  readonly arrivesAs: string;
  /** The header field that carries the real credential, and its value. */
  readonly credential: readonly [field: string, value: string];
  /** Makes the call, which carries `TEXT`. */
  readonly call: (access: Access) => Promise<unknown>;
  /** The members of the body as the provider must get them, a form's by their names. */
  readonly body: object;
  readonly answer: ApiAnswer;
  /** What the client makes of the answer, in part. */
  readonly result: unknown;
  /** What the client calls its error for an invalid token: the class, or the member `name` or `type`. */
  readonly error: string;
  /** Where the error has the text of the refusal; `message` when left out. */
  readonly textOf?: (error: ClientError) => unknown;
  /** Refusals of which the client keeps nothing but the status. */
  readonly hidesTextOf?: readonly Refusal[];
};

/** Where one client or another keeps the answer, or parts of it. */
export type ClientError = {
  readonly message: string;
  readonly details: string;
  readonly body: unknown;
  readonly error: Reported;
  readonly raw: { readonly response: Reported };
  /** `data` in errors of axios, `body` in those of superagent. */
  readonly response: { readonly data: Reported; readonly body: Reported };
};

type Reported = { readonly message: string };

/** Characters that a wrong encoding anywhere on the way would change. */
export const TEXT = 'Grüße & 100 % + "quotes" \\ 🐕';

/** A credential as bearer token, as most providers take it. */
export function bearer(secret: string): readonly [string, string] {
  return ['authorization', `Bearer ${secret}`];
}
