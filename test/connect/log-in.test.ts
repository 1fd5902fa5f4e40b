import type { GrantResult } from '../../src/connect/grants.ts';
import { createLogIn } from '../../src/connect/log-in.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { buildGrant } from '../support/rows.ts';

const GRANT = buildGrant({ values: { accessToken: 'access-1' }, refreshToken: null });
const ENTERED = { variables: { site: 'mine' }, secrets: { password: 'p' } };
const INTEGRATION = { id: 'integration-1', projectId: 'project-1' };

const VALUES = { region: 'eu', version: 'v2' };
const BY_CLIENT = acmeProvider({
  auth: 'oauth2-client-credentials',
  authorizationUrl: undefined,
  tokenUrl: 'https://{region}.acme.example/token',
  variables: {
    region: { from: 'integration', title: 'Region', example: 'eu', pattern: '[a-z]+' },
    version: { from: 'integration', title: 'Version', example: 'v1', pattern: 'v[0-9]+' },
  },
  apiBaseUrl: 'https://api.acme.example/{version}',
});

/** Logs in with what was entered; each way to obtain a grant is noted with what it was called with. */
async function logIn(provider = acmeProvider(), answer: GrantResult = { ok: true, grant: GRANT }) {
  const called: { way: string; target: unknown; entered: unknown }[] = [];
  const note = (way: string) => async (target: unknown, entered: unknown) => {
    called.push({ way, target, entered });
    return answer;
  };
  const integration = acmeIntegration({ variables: VALUES });
  const made = await createLogIn({
    findTarget: async () => ({ provider, integration }),
    authorization: { grantByClient: note('client'), grantByLogin: note('log-in') },
  })(INTEGRATION, ENTERED);
  return { made, called };
}

describe('a log-in without a browser', () => {
  it.each([
    ["by the integration's own client, where the provider knows only that", BY_CLIENT, 'client'],
    ['with what was entered, everywhere else', acmeProvider(), 'log-in'],
  ])('is made %s', async (_how, provider, way) => {
    const { made, called } = await logIn(provider);
    expect(made).toEqual({ ok: true, grant: GRANT });
    expect(called).toMatchObject([{ way, entered: ENTERED, target: { provider, known: VALUES } }]);
  });

  it('keeps of the values of the integration those that name the place where tokens come from', async () => {
    const { called } = await logIn(BY_CLIENT);
    expect(called).toMatchObject([{ target: { kept: { region: 'eu' }, wantedTenant: null } }]);
    expect(called[0]?.target).not.toHaveProperty('kept.version');
  });

  it.each<[title: string, refusal: Extract<GrantResult, { ok: false }>, made: object]>([
    ['its code', { ok: false, error: 'provider_error' }, { ok: false, error: 'provider_error' }],
    [
      'its reason and the words of the provider',
      { ok: false, error: 'provider_error', reason: 'credentials_refused', providerWords: 'wrong password' },
      { ok: false, error: 'provider_error', reason: 'credentials_refused', words: 'wrong password' },
    ],
  ])('that is refused gives %s, and no more', async (_title, refusal, made) => {
    const unusable = { ...refusal, providerCode: 'invalid_grant', unusable: GRANT };
    expect((await logIn(acmeProvider(), unusable)).made).toEqual(made);
  });

  it('of an integration that is gone is refused', async () => {
    const refuse = () => Promise.reject(new Error('nothing is asked of the provider'));
    const made = await createLogIn({
      findTarget: async () => undefined,
      authorization: { grantByClient: refuse, grantByLogin: refuse },
    })(INTEGRATION, ENTERED);
    expect(made).toEqual({ ok: false, error: 'integration_misconfigured' });
  });
});
