/** What a provider file, and the integration, say of requests beyond what methods say. */
export type AccessFacts = {
  /** POSTs that only read, such as searches, and GETs that read although `writes` covers them. */
  readonly reads?: readonly string[] | undefined;
  /** GETs that change something. */
  readonly writes?: readonly string[] | undefined;
  /** Requests that carry others inside. */
  readonly batch?: readonly string[] | undefined;
  /** Where GraphQL is spoken. */
  readonly graphql?: readonly string[] | undefined;
  /** Query parameters that name another method or carry other requests, in small letters. */
  readonly overrides?: readonly string[] | undefined;
  /** Where an MCP server takes messages. */
  readonly mcp?: readonly string[] | undefined;
  /** Tools of the MCP server that the operator has marked as reading. */
  readonly readingTools?: readonly string[] | undefined;
};

/** What is known of a provider's paths: at the API base (undefined) or a further host, and its batch paths at any. */
export type ProviderAccess = {
  readonly factsAt: (host: string | undefined) => AccessFacts | undefined;
  readonly batch: readonly string[] | undefined;
};

/** A call, as far as a mandate looks at it. */
export type MandatedCall = {
  readonly provider: string;
  readonly connectionId: string;
  /** Name of a further API host; undefined: the API base. */
  readonly host: string | undefined;
  readonly method: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly rawHeaders: readonly string[];
  readonly hasBody: boolean;
  /** Undefined while it has not been read, which is enough for most calls. */
  readonly body?: Uint8Array | 'too_long' | undefined;
  readonly facts: AccessFacts | undefined;
};

/** A longer body is taken for one that changes something. */
export const BODY_BYTES_MAX = 64 * 1024;

/** The values of a field; `name` is in lower case. */
export function listValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name ? [value] : [],
  );
}
