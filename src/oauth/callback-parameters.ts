/** RFC 6749 sets no bound on `code`; providers' stay far below this. */
const VALUE_LENGTH_MAX = 4096;
const PARAMETERS_MAX = 40;

export type CallbackParameters = {
  readonly state: string;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly iss: string | undefined;
  readonly all: Readonly<Record<string, string>>;
};

/**
 * Reads an authorization response (RFC 6749 4.1.2) from its raw query. Undefined where a parameter comes twice, is
 * too long, an issuer is named without a name, or neither a code nor an error is there with a state: nothing is done
 * for such a request.
 */
export function readCallbackParameters(query: string): CallbackParameters | undefined {
  const all = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (all.has(name) || value.length > VALUE_LENGTH_MAX || all.size >= PARAMETERS_MAX) return undefined;
    all.set(name, value);
  }
  const state = all.get('state');
  const code = all.get('code') || undefined;
  const error = all.get('error') || undefined;
  const iss = all.get('iss');
  if (!state || iss === '' || (code === undefined) === (error === undefined)) return undefined;
  return { state, code, error, iss, all: Object.fromEntries(all) };
}
