/** What a Bearer challenge says (RFC 6750 section 3, RFC 9728 section 5.1). */
export type BearerChallenge = {
  readonly resourceMetadataUrl?: string;
  readonly scope?: string;
  readonly error?: string;
};

/** One parameter of a challenge: a name, and a token or a quoted text. */
const PARAMETER = /([A-Za-z0-9_-]{1,40})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/** Longer header fields are not read. */
const LENGTH_MAX = 8_192;

/** Reads the parameters of a `WWW-Authenticate` field with a Bearer or DPoP challenge; undefined where there is none. */
export function readBearerChallenge(field: string | undefined): BearerChallenge | undefined {
  if (
    field === undefined ||
    field.length > LENGTH_MAX ||
    !/(?:^|[\s,])(?:bearer|dpop)(?=[\s,]|$)/i.test(field)
  ) {
    return undefined;
  }
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token] of field.matchAll(PARAMETER)) {
    const value = quoted === undefined ? (token ?? '') : quoted.replaceAll(/\\(.)/g, '$1');
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  const resourceMetadataUrl = parameters.get('resource_metadata');
  const scope = parameters.get('scope');
  const error = parameters.get('error');
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  };
}
