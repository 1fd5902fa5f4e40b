import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { dryRun } from '../../src/dry-run/dry-run-provider.ts';
import type { DryRun } from '../../src/providers/custom-providers.schema.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

const catalog = builtInCatalog;

/** The requests that a provider of this kind gets, by what its file says. */
function expected(provider: Provider): string[] {
  const isOAuth = provider.auth === 'oauth2';
  const asksFirst = provider.oauth1?.requestTokenUrl !== undefined;
  // Only the operator knows which MCP server it is, and so which token endpoint.
  const isKnown = !provider.mcp?.url.includes('{');
  const applies: [string, boolean][] = [
    ['temporaryToken', asksFirst],
    ['authorization', isOAuth || asksFirst],
    ['logIn', provider.login !== undefined],
    ['token', (isOAuth && isKnown) || asksFirst || provider.auth === 'oauth2-client-credentials'],
    ['tokenExchange', provider.tokenExchange !== undefined],
    ['refresh', (isOAuth && isKnown) || provider.login?.refresh !== undefined],
    ['revocation', (isOAuth && provider.revocationUrl !== undefined) || provider.logout !== undefined],
    ['probe', provider.probe?.url !== undefined],
    // Calls of OAuth 1.0a bear a signature that the gateway cannot make before a user has agreed.
    ['account', provider.account?.request !== undefined && provider.auth !== 'oauth1'],
    ['call', true],
  ];
  return applies.flatMap(([name, does]) => (does ? [name] : []));
}

const shown = ({ requests }: DryRun) =>
  Object.entries(requests).flatMap(([name, made]) => ([made].flat()[0] == null ? [] : [name]));

it('shows all requests of every provider of the catalog, with nothing made up left in them', async () => {
  for (const [name, provider] of everyGrant(catalog)) {
    const steps = provider.login?.steps.length ?? 0;
    const run = await dryRun(provider, 'https://gateway.example');
    // No certificate is made up, so that nothing of it can be named.
    const pasted = provider.variables.filter(({ input }) => input === 'certificate');
    if (pasted.length === 0) expect([name, shown(run)]).toEqual([name, expected(provider)]);
    else expect(shown(run)).toContain('call');
    if (pasted.length === 0) expect([name, run.requests.logIn.length]).toEqual([name, steps]);
    const isOfFile = (note: string) => pasted.some((variable) => note.includes(`{${variable.name}}`));
    expect(run.notes.filter((note) => !isOfFile(note))).toEqual([]);
    expect(JSON.stringify(run)).not.toMatch(/standin\d/);
  }
});

it('shows the three requests of OAuth 1.0a, with no nonce or signature of the moment', async () => {
  const provider = catalog.list().find(({ oauth1 }) => oauth1?.requestTokenUrl !== undefined);
  if (provider === undefined) throw new Error('no provider of OAuth 1.0a is left');
  const { requests } = await dryRun(provider, 'https://gateway.example');
  expect(requests.temporaryToken).toMatchObject({ method: 'POST' });
  expect(requests.temporaryToken?.headers.Authorization).toMatch(
    /oauth_consumer_key="<clientId>".*oauth_nonce="<oauth_nonce>"/,
  );
  expect(requests.authorization?.url).toContain('oauth_token=<temporaryToken>');
  expect(requests.token?.headers.Authorization).toMatch(/oauth_token="<temporaryToken>"/);
  expect(JSON.stringify(requests)).not.toMatch(/oauth_(signature|timestamp)=\\"[^<]/);
});

it('says which variable it knows no value for', async () => {
  const [provider] = catalog.list().filter(({ variables }) => variables.length > 0);
  if (provider === undefined) throw new Error('no provider has a variable');
  const variables = provider.variables.map((variable) => ({
    ...variable,
    default: undefined,
    example: undefined,
    options: undefined,
    ownPattern: '[0-9]{9}-[a-z]{3}',
  }));
  const { notes } = await dryRun({ ...provider, variables }, 'https://gateway.example');
  expect(notes).toContainEqual(expect.stringContaining(`{${variables[0]?.name}}`));
});

it('shows where the client secret goes and what proves it, by name', async () => {
  const [etsy, faire, meta, kommo] = ['etsy', 'faire', 'meta-ads', 'kommo'].map((id) => catalog.find(id));
  if (!etsy || !faire || !meta || !kommo) throw new Error('a provider is missing');
  const runs = await Promise.all(
    [etsy, faire, meta, kommo].map((provider) => dryRun(provider, 'https://gateway.example')),
  );
  const [ofEtsy, ofFaire, ofMeta, ofKommo] = runs.map(({ requests }) => requests);
  expect(ofEtsy?.call?.headers).toMatchObject({ 'x-api-key': '<clientId>:<clientSecret>' });
  expect(ofEtsy?.account?.headers).toMatchObject({ 'x-api-key': '<clientId>:<clientSecret>' });
  expect(Object.values(ofFaire?.call?.headers ?? {})).toContain('<base64(clientId:clientSecret)>');
  for (const request of [ofMeta?.call, ofMeta?.account]) {
    expect(request?.url).toContain('appsecret_proof=<HMAC-SHA256 of accessToken>');
  }
  expect(decodeURIComponent(ofMeta?.revocation?.body ?? '')).toContain('appsecret_proof=<HMAC-SHA256');
  expect(ofKommo?.refresh?.body).toContain('"redirect_uri":"https://gateway.example/oauth/callback"');
});
