import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listCallTemplateNames, listTexts } from '../lib/call-template.ts';
import { readRetryAfterMs } from '../lib/retry-after.ts';
import { readXmlMembers } from '../lib/xml-members.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import { readProviderWords } from './provider-words.ts';
import { findReportedError, type TokenFailureKind } from './token-error.ts';
import type { TokenFailure } from './token-outcome.ts';
import { type IssuedTokens, readIssuedTokens, readTokenResponse } from './token-response.ts';

type Login = NonNullable<Provider['login']>;

export type LoginResponse =
  | {
      readonly ok: true;
      readonly members: Readonly<Record<string, unknown>>;
      /** Of the last step. */
      readonly tokens?: IssuedTokens;
    }
  | TokenFailure;

/** A provider that asks for more is asked again after this time all the same. */
const RETRY_AFTER_MS_MAX = 5 * 60_000;

/**
 * Judges the answer to one request of a log-in. Credentials that are refused are `invalid_grant` where the user gave
 * them and `client` where the operator did. Pure; never throws.
 */
export function judgeLoginResponse(
  provider: Provider,
  login: Login,
  response: OutboundResponse,
  context: { readonly secrets: readonly string[]; readonly isLast: boolean; readonly nowMs: number },
): LoginResponse {
  const { status } = response;
  if (status >= 500 || [408, 425, 429].includes(status) || status < 200 || (status >= 300 && status < 400)) {
    return failure(response, 'transient', `http_${status}`);
  }
  const members = membersOf(login, response, context.isLast);
  const { secrets } = context;
  const words = members && readProviderWords(members, secrets);
  const error = members && findReportedError(provider, members, { status, use: 'issue', secrets });
  if (error !== undefined || status >= 400) {
    const kind = kindOf(provider, login, status, error?.kind);
    return failure(response, kind, error?.errorCode ?? `http_${status}`, words);
  }
  if (!context.isLast) return { ok: true, members: members ?? {} };
  if (members === undefined) return failure(response, 'transient', 'unreadable_response');
  const read = readIssuedTokens(provider, { ...placesBeside(response), ...members }, context.nowMs);
  return read.ok ? { ok: true, members, tokens: read.tokens } : failure(response, read.kind, read.errorCode);
}

/** The members of an answer; the whole of it as `access_token` where the token is the answer. */
function membersOf(login: Login, response: OutboundResponse, isLast: boolean) {
  if (login.answer === 'xml')
    return readXmlMembers(response.body.toString('utf8')) ?? readTokenResponse(response);
  if (login.answer === 'json' || !isLast || response.status >= 400) return readTokenResponse(response);
  const text = response.body.toString('utf8').trim();
  return { access_token: text.replace(/^"([^"]*)"$/, '$1') };
}

/** Header fields and cookies of an answer, which may hold the token. */
function placesBeside({ headers }: OutboundResponse) {
  const cookies = (headers['set-cookie'] ?? []).flatMap((line) => {
    const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  return { headers: { ...headers }, cookies: Object.fromEntries(cookies) };
}

function kindOf(
  provider: Provider,
  login: Login,
  status: number,
  known: TokenFailureKind | undefined,
): TokenFailureKind {
  if (known === 'transient' || known === 'invalid_grant') return known;
  if (login.goneStatuses.includes(status)) return 'invalid_grant';
  const isRefused = known === 'client' || login.refusedStatuses.includes(status);
  if (!isRefused) return 'rejected';
  const { isOperators, isUsers } = findOwners(provider, listTexts([provider.jwt, login]));
  // A code that names the client is about what the operator gave, where there is any of it.
  if (known === 'client') return isOperators ? 'client' : 'invalid_grant';
  return isUsers ? 'invalid_grant' : 'client';
}

/** Whose secrets the templates carry. */
export function findOwners(
  { variables }: Pick<Provider, 'variables'>,
  templates: readonly string[],
): { readonly isOperators: boolean; readonly isUsers: boolean } {
  const names = templates.flatMap(listCallTemplateNames);
  const owners = new Set(names.map((name) => name.split('.')[0] ?? name));
  const isFrom = (from: 'user' | 'integration') =>
    variables.some((variable) => variable.secret && variable.from === from && owners.has(variable.name));
  return { isOperators: owners.has('clientSecret') || isFrom('integration'), isUsers: isFrom('user') };
}

/** The operator's variable whose key signs the JWT of a log-in, by title and name; undefined where there is none. */
export function signingVariable({ jwt, variables }: Pick<Provider, 'jwt' | 'variables'>): string | undefined {
  if (jwt === undefined) return undefined;
  const named = listCallTemplateNames(jwt.key).map((name) => name.split('.')[0] ?? name);
  const found = variables.find(({ name, from }) => from === 'integration' && named.includes(name));
  return found && `${found.title ?? found.name} (${found.name})`;
}

function failure(
  { status, headers }: OutboundResponse,
  kind: TokenFailureKind,
  errorCode: string,
  words?: string,
): TokenFailure {
  const waitMs = readRetryAfterMs(headers['retry-after'], Date.now());
  return {
    ok: false,
    kind,
    errorCode,
    status,
    delivery: 'answered',
    ...(words !== undefined && { words }),
    ...(waitMs !== undefined && waitMs > 0 && { retryAfterMs: Math.min(waitMs, RETRY_AFTER_MS_MAX) }),
  };
}
