import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import type { Target } from '../../src/connect/connect-flow.ts';
import { createGrants } from '../../src/connect/grants.ts';
import { createProveImport } from '../../src/connections/prove-import.ts';
import { HttpError } from '../../src/http/errors.ts';
import { buildProbe, proveCredential } from '../../src/oauth/probe.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../../src/platform/outbound.ts';
import { acmeIntegration } from '../support/acme-provider.ts';
import { buildGrant } from '../support/rows.ts';
import { CLIENT_ID, CLIENT_SECRET, TYPED } from './fake-conduct.ts';
import { startFakeProviders } from './fake-provider.ts';
import { catalog, given } from './provider-life.ts';

/** What an entry's typed credentials are when they are wrong. */
const WRONG = { apiKey: 'another-key', username: 'another-user', password: 'another-pass' };
const typed = catalog
  .list()
  .flatMap(listAuthMethods)
  .filter(({ auth }) => auth === 'api-key' || auth === 'basic');
const nameOf = ({ id, grant }: Provider) => (grant === null ? id : `${id} (${grant})`);
const proved = typed.filter((provider) => buildProbe(provider) !== undefined);

const fakes = await startFakeProviders();
afterAll(fakes.close);

const integrationOf = (provider: Provider): Target['integration'] =>
  acmeIntegration({
    serviceProvider: provider.id,
    grant: provider.grant,
    clientId: CLIENT_ID,
    variables: given(provider).ofIntegration.open,
  });

function clientOf(provider: Provider) {
  const secretVariables = given(provider).ofIntegration.secret;
  return async () => ({ clientId: CLIENT_ID, clientSecrets: [CLIENT_SECRET], secretVariables });
}

/** What the hosted form makes of typed credentials. */
function submitForm(provider: Provider, outbound: Outbound, credentials: typeof TYPED) {
  const { ofUser } = given(provider);
  const integration = integrationOf(provider);
  const grants = createGrants({ outbound, now: Date.now, clientOf: clientOf(provider) });
  const target = {
    provider,
    integration,
    known: integration.variables,
    kept: {},
    sealed: new Set<string>(),
    wantedTenant: null,
  };
  return grants.fromCredentials(target, {
    variables: ofUser.open,
    secrets: { ...ofUser.secret, ...credentials },
  });
}

/** The code of the error with which an import is refused; undefined where it is taken. */
async function importKey(provider: Provider, outbound: Outbound, credentials: typeof TYPED) {
  const { ofUser } = given(provider);
  const prove = createProveImport({ outbound, clientOf: clientOf(provider) });
  const typedIn = { values: { ...ofUser.secret, ...credentials }, refreshToken: null };
  const grant = buildGrant(typedIn, { variables: ofUser.open });
  return prove(provider, integrationOf(provider), grant).then(
    () => undefined,
    (error: unknown) => (error instanceof HttpError ? `${error.status} ${error.code}` : error),
  );
}

describe('a provider whose credentials people type', () => {
  it.each(typed.map((provider) => [nameOf(provider), provider] as const))(
    '%s says how a credential is proved, or why it cannot be',
    (_id, provider) => {
      expect(buildProbe(provider)?.request.url ?? provider.noProbe).toEqual(expect.any(String));
    },
  );

  it.each(proved.map((provider) => [nameOf(provider), provider] as const))(
    '%s: the right key connects and is imported, a wrong one neither',
    async (_id, provider) => {
      const fake = fakes.of(provider);
      fake.expect('probe');
      expect(await submitForm(provider, fake.outbound, TYPED)).toMatchObject({ ok: true });
      fake.expect('probe');
      expect(await importKey(provider, fake.outbound, TYPED)).toBeUndefined();
      expect(fake.complaints).toEqual([]);
      fake.expect('probe');
      const refused = await submitForm(provider, fake.outbound, WRONG);
      expect(refused).toMatchObject({ ok: false, error: 'credentials_refused' });
      fake.expect('probe');
      expect(await importKey(provider, fake.outbound, WRONG)).toBe('422 credentials_invalid');
    },
  );
});

type Answered = Partial<OutboundResponse> & { readonly fails?: 'network' | 'timeout' | 'tls' };

/** A network on which every request ends like this. */
function answering({ fails, ...response }: Answered): Outbound {
  return {
    request: async () => {
      if (fails !== undefined) throw new OutboundError(fails, 'of the test', true);
      return { status: 200, headers: {}, body: Buffer.from('{}'), ...response };
    },
  };
}

const json = (content: object) => ({ body: Buffer.from(JSON.stringify(content)) });
const PAGE = { headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Sign in</html>') };

describe('no provider takes', () => {
  /** Answers that nothing but a declaration of the entry makes a proof. */
  const doubtful: [string, Answered, (probe: NonNullable<Provider['probe']>) => boolean][] = [
    ['a refusal by 401', { status: 401 }, ({ accepted = [] }) => accepted.includes(401)],
    ['an unknown address', { status: 404 }, ({ accepted = [] }) => accepted.includes(404)],
    ['a redirect', { status: 302 }, ({ accepted = [] }) => accepted.includes(302)],
    ['a page of somebody else', { status: 200, ...PAGE }, () => false],
    ['a forbidden page of somebody else', { status: 403, ...PAGE }, () => false],
    ['an error under 200', { status: 200, ...json({ error: 'no' }) }, () => false],
    ['errors under 200', { status: 200, ...json({ errors: [{ message: 'no' }] }) }, () => false],
    ['too many requests', { status: 429 }, ({ accepted = [] }) => accepted.includes(429)],
    ['a fault of the provider', { status: 500 }, ({ accepted = [] }) => accepted.includes(500)],
    ['a connection that breaks', { fails: 'network' }, () => false],
    ['silence', { fails: 'timeout' }, () => false],
  ];

  it.each(doubtful)('%s for a proof', async (_what, answer, isDeclared) => {
    const undeclared = proved.filter(({ probe }) => !isDeclared(probe ?? {}));
    const verdicts = await Promise.all(
      undeclared.map(async (provider) => {
        const { known, ofUser, ofIntegration } = given(provider);
        const values = { ...known, ...ofUser.secret, ...ofIntegration.secret, ...TYPED, clientId: CLIENT_ID };
        const proof = await proveCredential({ outbound: answering(answer) }, provider, values);
        return `${nameOf(provider)}: ${proof?.verdict}`;
      }),
    );
    expect(verdicts.length).toBeGreaterThan(50);
    expect(verdicts.filter((verdict) => verdict.endsWith('accepted'))).toEqual([]);
  });
});
