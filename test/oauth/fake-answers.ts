import fc from 'fast-check';
import type { Provider, ProviderVariable } from '../../src/catalog/schema/provider.schema.ts';
import { readPath } from '../../src/lib/json-path.ts';
import { fill, type Texts } from './expected-requests.ts';
import { TYPED } from './fake-conduct.ts';

const ACCOUNT = 'the-account';

/** A value that fits a variable: what the file gives as an example, or a plain word. */
function exampleOf(variable: ProviderVariable): string {
  return variable.example ?? variable.default ?? variable.options?.[0]?.value ?? 'example';
}

export function pickExamples(provider: Provider, ...from: ProviderVariable['from'][]): Texts {
  const wanted = provider.variables.filter((variable) => from.length === 0 || from.includes(variable.from));
  return Object.fromEntries(wanted.map((variable) => [variable.name, exampleOf(variable)]));
}

/** What the provider says where a variable is a part of it: the pattern with the value in its first group. */
function textAround({ part }: Pick<ProviderVariable, 'part'>, value: string): string {
  if (part === undefined) return value;
  return part
    .replace(/^\^|\$$/g, '')
    .replace(/\((?:[^()]|\([^()]*\))*\)/, value)
    .replaceAll('\\', '');
}

type Place = 'token-response' | 'id-token' | 'callback' | 'request';
type AccountField = NonNullable<Provider['account']>['id'];

/** The paths at which the provider tells the field: all that are joined, or the last one where any will do. */
function pathsOf({ path, take }: AccountField): readonly string[] {
  return [path].flat().slice(take === 'first' ? -1 : 0);
}

/** What the provider says at one place, by dotted path: variables first, then the account where nothing stands yet. */
export function saidAt(provider: Provider, place: Place): Map<string, string> {
  const from = place === 'request' ? 'account' : place;
  const said = new Map<string, string>();
  for (const variable of provider.variables) {
    if (variable.from === from) said.set(variable.path, textAround(variable, exampleOf(variable)));
  }
  for (const field of [provider.account?.id, provider.account?.name]) {
    if (field?.from !== place) continue;
    for (const path of pathsOf(field)) if (!said.has(path)) said.set(path, sampleOf(field.pattern));
  }
  return said;
}

/** A text that the pattern of an account field takes apart; the plain account where there is none. */
function sampleOf(pattern: string | undefined): string {
  if (pattern === undefined) return ACCOUNT;
  const samples = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 20, seed: 1 });
  return samples.find((sample) => sample.length < 200 && new RegExp(pattern).exec(sample)?.[1]?.trim()) ?? '';
}

/** What the gateway must make of an account field. */
export function expectedAccount(provider: Provider, field: AccountField | undefined): string | null {
  if (field === undefined) return null;
  const said =
    field.from === 'variable'
      ? new Map(Object.entries({ username: TYPED.username, ...pickExamples(provider) }))
      : saidAt(provider, field.from);
  const text = pathsOf(field)
    .map((path) => said.get(path) ?? '')
    .join(' ')
    .trim();
  const part = field.pattern === undefined ? text : (new RegExp(field.pattern).exec(text)?.[1] ?? '');
  return part.slice(0, 255) || null;
}

/** What an access token must begin with, at providers whose account is read from the token itself. */
export function buildTokenPrefix(provider: Provider): string {
  const field = provider.account?.id;
  const path = firstOf(provider.tokenResponse.accessToken);
  const said = saidAt(provider, 'token-response').get(path) ?? '';
  return field?.pattern === undefined ? '' : (new RegExp(field.pattern).exec(said)?.[0] ?? '');
}

/** False where the scopes of the answer tell something else as well. */
export function isScopePlain(provider: Provider): boolean {
  return !saidAt(provider, 'token-response').has(firstOf(provider.tokenResponse.scope));
}

export type Issued = { readonly accessToken: string; readonly refreshToken: string | undefined };

export const LIFETIME_SECONDS = 1234;

/** The answer to a token request. */
export function tokenAnswer(
  provider: Provider,
  { accessToken, refreshToken }: Issued,
): Record<string, unknown> {
  const { tokenResponse } = provider;
  const answer: Record<string, unknown> = { token_type: tokenResponse.tokenTypes[0] };
  sayYes(provider, answer);
  put(answer, firstOf(tokenResponse.accessToken), accessToken);
  if (refreshToken !== undefined) put(answer, firstOf(tokenResponse.refreshToken), refreshToken);
  if (tokenResponse.expiresAt === undefined) put(answer, firstOf(tokenResponse.expiresIn), LIFETIME_SECONDS);
  else put(answer, tokenResponse.expiresAt, Math.floor(Date.now() / 1000) + LIFETIME_SECONDS);
  const separator = tokenResponse.scopeSeparator ?? provider.scopeSeparator;
  put(answer, firstOf(tokenResponse.scope), ['one', 'two'].join(separator));
  for (const [path, value] of saidAt(provider, 'token-response')) {
    if (path !== firstOf(tokenResponse.accessToken)) put(answer, path, value);
  }
  const claims = Object.fromEntries(saidAt(provider, 'id-token'));
  answer.id_token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
  return answer;
}

/** The answer to the second request, which tells the token that is kept. */
export function exchangeAnswer(provider: Provider, accessToken: string): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  const { tokenExchange } = provider;
  sayYes(provider, answer);
  put(answer, tokenExchange?.accessToken ?? '', accessToken);
  put(answer, tokenExchange?.expiresIn ?? '', LIFETIME_SECONDS);
  return answer;
}

/** What a good credential gets, by the account call and by the probe alike. */
export function accountAnswer(provider: Provider): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  for (const [path, value] of saidAt(provider, 'request')) put(answer, path, value);
  const { answerHas } = provider.probe ?? {};
  if (answerHas !== undefined && readPath(answer, answerHas) === undefined)
    put(answer, answerHas, 'something');
  return answer;
}

const TENANT = 'the-tenant';

/** What the list of tenants says of the one that counts. */
export function tenantElement(provider: Provider): Record<string, unknown> {
  const element: Record<string, unknown> = {};
  const { tenants } = provider;
  const said = new Map<string, unknown>();
  for (const { from, path, ...variable } of provider.variables) {
    if (from === 'tenant') said.set(path, exampleOf({ from, path, ...variable }));
  }
  for (const { path, is, matches } of tenants?.where ?? []) {
    if (is !== undefined) said.set(path, is[0]);
    if (matches !== undefined) said.set(path, [sampleMatching(matches)]);
  }
  for (const paths of [tenants?.id, tenants?.name, tenants?.detail]) {
    const path = firstOf(paths ?? []);
    if (path !== '' && !said.has(path)) said.set(path, TENANT);
  }
  for (const [path, value] of said) put(element, path, value);
  return element;
}

function sampleMatching(pattern: string): string {
  const [sample = ''] = fc.sample(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), { numRuns: 1, seed: 1 });
  return sample;
}

/** The answer to the listing call: one tenant, and where the file filters them, one that does not count. */
export function tenantsAnswer(provider: Provider, isLaterPage: boolean): unknown {
  const { items, where = [] } = provider.tenants ?? {};
  const others = where.length === 0 ? [] : [otherElement(provider)];
  const list = isLaterPage ? [] : [...others, tenantElement(provider)];
  if (items === undefined) return list;
  const answer: Record<string, unknown> = {};
  put(answer, items, list);
  return answer;
}

/** An element that fails the first condition. */
function otherElement(provider: Provider): Record<string, unknown> {
  const element = tenantElement(provider);
  const [condition] = provider.tenants?.where ?? [];
  put(element, firstOf(provider.tenants?.id ?? []), 'another');
  if (condition !== undefined) put(element, condition.path, condition.not?.[0] ?? '-');
  return element;
}

/** A wrong key is refused under 200 where the provider does so. */
export function refusalOfKey({ probe }: Provider): { status: number; body: Record<string, unknown> } {
  const { refused = [401, 403], accepted = [], refusedWhen, answerHas } = probe ?? {};
  const body: Record<string, unknown> = {};
  if (refusedWhen !== undefined) put(body, refusedWhen.path, refusedWhen.values?.[0] ?? 'wrong');
  const status = refused.find((candidate) => !accepted.includes(candidate)) ?? 401;
  return { status: refusedWhen === undefined && answerHas === undefined ? status : 200, body };
}

export function sayYes(provider: Provider, answer: Record<string, unknown>): void {
  const { okMember } = provider.tokenResponse;
  if (okMember) put(answer, okMember.path, okMember.value);
}

/** A refusal of a grant that is dead, under 200 where the provider has its own code for it. */
export function deadAnswer(provider: Provider): { status: number; body: Record<string, unknown> } {
  const { okMember, errorMeanings, errorCode } = provider.tokenResponse;
  const own = Object.entries(errorMeanings).find(([, meaning]) => meaning === 'invalid_grant')?.[0];
  const body: Record<string, unknown> = {};
  if (okMember) put(body, okMember.path, okMember.value === false);
  put(body, firstOf(errorCode), own ?? 'invalid_grant');
  return { status: own === undefined ? 400 : 200, body };
}

function firstOf(paths: string | readonly string[]): string {
  return [paths].flat()[0] ?? '';
}

/** Sets a dotted path, making objects on the way, lists for numbers, and elements for selectors. */
function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  const [, list, member, wanted] = /^(.+)\[(.+)=(.+)\]$/.exec(first) ?? [];
  if (list !== undefined && member !== undefined) {
    const element: Record<string, unknown> = { [member]: wanted === 'true' ? true : wanted };
    const held = Array.isArray(target[list])
      ? target[list].find((one) => String(one[member]) === wanted)
      : undefined;
    put(held ?? element, rest.join('.'), value);
    if (held === undefined) target[list] = [{ [member]: 'another' }, element];
    return;
  }
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const held = target[first];
  const inner: Record<string, unknown> = typeof held === 'object' && held !== null ? { ...held } : {};
  put(inner, rest.join('.'), value);
  target[first] = /^\d+$/.test(rest[0] ?? '') ? Object.values(inner) : inner;
}

/** The provider's own page of an address: values filled in, percent-encoded where they stand in a path. */
export function fillAddress(template: string, values: Texts): URL {
  const [, origin] = /^\{([A-Za-z][\w.]*)\}/.exec(template) ?? [];
  const encoded = Object.entries(values).map(([name, value]) => [
    name,
    name === origin ? value : encodeURIComponent(value).replaceAll('%3A', ':'),
  ]);
  return new URL(fill(template, Object.fromEntries(encoded)));
}
