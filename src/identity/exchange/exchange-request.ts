import { parseJson } from '../../lib/parse-json.ts';
import { type MandateEntry, mandateEntriesSchema } from '../../mandates/mandate.schema.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPES = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:access_token'];
const LIFETIME_SECONDS = 3600;
const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
const ACTOR_LENGTH_MAX = 255;

/** Parameters that may stand several times (RFC 8693 section 2.1). */
const REPEATABLE = new Set(['audience', 'resource']);

/** A refusal in the form of RFC 6749 section 5.2. */
export class ExchangeError extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: string,
    description: string,
    status = 400,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

export type ExchangeRequest = {
  readonly subjectToken: string;
  readonly actorToken: string | undefined;
  readonly requestedActor: string | undefined;
  readonly issuedTokenType: string;
  readonly audiences: readonly string[];
  readonly resources: readonly string[];
  readonly entries: readonly MandateEntry[] | undefined;
  readonly expiresInSeconds: number;
};

/** The request of RFC 8693 section 2.1, with `authorization_details` (RFC 9396 section 5). Throws an `ExchangeError`. */
export function readExchangeRequest(form: URLSearchParams): ExchangeRequest {
  const repeated = [...new Set(form.keys())].find(
    (name) => !REPEATABLE.has(name) && form.getAll(name).length > 1,
  );
  if (repeated !== undefined) throw invalid('A parameter stands twice.');
  if (form.get('grant_type') !== GRANT)
    throw new ExchangeError('unsupported_grant_type', `The grant is ${GRANT}.`);
  if ((form.get('scope') ?? '') !== '')
    throw new ExchangeError('invalid_scope', 'User tokens have no scopes.');
  const subjectToken = form.get('subject_token') ?? '';
  if (subjectToken === '') throw invalid('subject_token is missing.');
  readType(form, 'subject_token_type');
  const actorToken = form.get('actor_token') ?? undefined;
  if (actorToken !== undefined) readType(form, 'actor_token_type');
  else if (form.has('actor_token_type')) throw invalid('actor_token_type stands without actor_token.');
  return {
    subjectToken,
    actorToken,
    requestedActor: readActor(form, actorToken),
    issuedTokenType: form.has('requested_token_type')
      ? readType(form, 'requested_token_type')
      : (TOKEN_TYPES[1] ?? ''),
    audiences: form.getAll('audience'),
    resources: form.getAll('resource'),
    entries: readEntries(form.get('authorization_details')),
    expiresInSeconds: readLifetime(form.get('expires_in')),
  };
}

export function invalid(description: string): ExchangeError {
  return new ExchangeError('invalid_request', description);
}

function readType(form: URLSearchParams, name: string): string {
  const type = form.get(name) ?? '';
  if (!TOKEN_TYPES.includes(type)) throw invalid(`${name} is ${TOKEN_TYPES.join(' or ')}.`);
  return type;
}

function readActor(form: URLSearchParams, actorToken: string | undefined): string | undefined {
  const actor = form.get('requested_actor') ?? undefined;
  if (actor === undefined) return undefined;
  if (actorToken !== undefined) throw invalid('actor_token and requested_actor exclude each other.');
  if (actor === '' || actor.length > ACTOR_LENGTH_MAX || /\p{Cc}/u.test(actor) || !actor.isWellFormed())
    throw invalid(`requested_actor has 1 to ${ACTOR_LENGTH_MAX} characters.`);
  return actor;
}

function readEntries(text: string | null): readonly MandateEntry[] | undefined {
  if (text === null) return undefined;
  const parsed = mandateEntriesSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = (issue?.path ?? []).join('.');
  throw new ExchangeError(
    'invalid_authorization_details',
    `${where} ${issue?.message ?? 'malformed'}`.trim(),
  );
}

function readLifetime(text: string | null): number {
  if (text === null) return LIFETIME_SECONDS;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= LIFETIME_SECONDS_MAX) return seconds;
  throw invalid(`expires_in is a number of seconds from 1 to ${LIFETIME_SECONDS_MAX}.`);
}
