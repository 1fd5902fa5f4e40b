import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import { listPlaceholders } from '../../src/lib/template.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const methods = everyGrant(builtInCatalog);
type Method = (typeof methods)[number][1];

/** Sign-in servers that refuse an authorization request without a scope. */
const WANTS_SCOPES = ['https://accounts.google.com/', 'https://login.microsoftonline.com/'];

/** Apple gives an ID token whatever is asked for, and its scopes do not know openid. */
const TELLS_UNASKED = new Set(['apple']);

/** Products that want one key in both places, for their clients or for versions of their API. */
const SENDS_TWICE = new Set(['reply', 'supabase-project']);

const isAskedInBrowser = ({ auth, mcp }: Method) => auth === 'oauth2' && mcp === undefined;

function readsIdToken({ account }: Method): boolean {
  return account?.id.from === 'id-token' || account?.name?.from === 'id-token';
}

/** Headers and parameters of a call that hold the key that the user types. */
function placesOfKey({ apiKey, apiHeaders, apiQuery }: Method): string[] {
  const fixed = Object.entries({ ...apiHeaders, ...apiQuery });
  const holding = fixed.filter(([, template]) => listPlaceholders(template).includes('apiKey'));
  return [...(apiKey ? [apiKey.name ?? apiKey.in] : []), ...holding.map(([name]) => name)];
}

/** The variable that is the whole address in front of the path /api, where users type it. */
function addressBeforeApi({ apiBaseUrl, probe, variables }: Method) {
  const names = [apiBaseUrl, probe?.url ?? ''].map((url) => /^\{(\w+)\}\/api(?:\/|$)/.exec(url)?.[1]);
  return variables.find(({ name, from }) => from === 'user' && names.includes(name));
}

function takesApiTwice([, method]: (typeof methods)[number]): boolean {
  const variable = addressBeforeApi(method);
  if (variable === undefined) return false;
  const { ok } = resolveUrl(method.apiBaseUrl, method, { [variable.name]: `${variable.example}/api` });
  return ok;
}

it('an address that is pasted with /api is refused where the file adds /api itself', () => {
  expect(methods.filter(takesApiTwice).map(([name]) => name)).toEqual([]);
});

it('a sign-in that refuses to be asked for nothing is asked for a scope', () => {
  const silent = methods.filter(
    ([, method]) =>
      isAskedInBrowser(method) &&
      WANTS_SCOPES.some((server) => method.authorizationUrl?.startsWith(server)) &&
      method.defaultScopes.length === 0 &&
      !('scope' in method.authorizationParams),
  );
  expect(silent.map(([name]) => name)).toEqual([]);
});

it('an account that is read of an ID token is asked for with openid', () => {
  const without = methods.filter(
    ([, method]) =>
      isAskedInBrowser(method) &&
      readsIdToken(method) &&
      !method.defaultScopes.includes('openid') &&
      !TELLS_UNASKED.has(method.id),
  );
  expect(without.map(([name]) => name)).toEqual([]);
});

it('a key and its secret are two values, of which none is sent in the place of the other', () => {
  const twice = methods.filter(
    ([, method]) =>
      method.auth === 'api-key' && placesOfKey(method).length > 1 && !SENDS_TWICE.has(method.id),
  );
  expect(twice.map(([name]) => name)).toEqual([]);
});
