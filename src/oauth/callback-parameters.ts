/** RFC 6749 sets no bound on `code`; codes of 7,000 characters are known (a JWT with groups in it). */
const VALUE_LENGTH_MAX = 8 * 1024;
const PARAMETERS_MAX = 40;

/** What came to the callback, before it is known which provider sent it. */
export type ReceivedParameters = {
  readonly state: string;
  readonly all: Readonly<Record<string, string>>;
};

export type CallbackParameters = ReceivedParameters & {
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly iss: string | undefined;
};

/**
 * Reads an authorization response (RFC 6749 4.1.2) from its raw query. Undefined where a parameter comes twice or is
 * too long, or a state is missing: nothing is done for such a request.
 */
export function readCallbackParameters(query: string): ReceivedParameters | undefined {
  const all = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (all.has(name) || value.length > VALUE_LENGTH_MAX || all.size >= PARAMETERS_MAX) return undefined;
    all.set(name, value);
  }
  const state = all.get('state');
  return state ? { state, all: Object.fromEntries(all) } : undefined;
}

/**
 * The response as the provider means it. Undefined where it has neither a code nor an error or both of them, or names
 * an issuer without a name.
 */
export function readAuthorizationResponse(
  { state, all }: ReceivedParameters,
  codeParameter: string,
): CallbackParameters | undefined {
  const given = (name: string) => (Object.hasOwn(all, name) ? all[name] : undefined);
  const code = given(codeParameter) || undefined;
  // OAuth 1.0a names no way to say no: providers send the temporary token as `denied`, or a code as `oauth_problem`.
  const refusal = given('oauth_problem') || (given('denied') ? 'access_denied' : undefined);
  const error = given('error') || (codeParameter === 'oauth_verifier' ? refusal : undefined) || undefined;
  const iss = given('iss');
  if (iss === '' || (code === undefined) === (error === undefined)) return undefined;
  return { state, all: error === undefined ? all : { ...all, error }, code, error, iss };
}

/**
 * The query of the GET that a posted response (`response_mode=form_post`) is turned into. An ID token and the user's
 * name, which some providers post along, are not put into an address that browsers keep.
 */
export function queryOfPostedResponse(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const pairs = Object.entries(body)
    .filter(([name]) => name !== 'id_token' && name !== 'user')
    // A field that came twice stays so: the callback is to refuse it.
    .flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return new URLSearchParams(pairs).toString();
}
