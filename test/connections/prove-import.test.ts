import { createProveImport } from '../../src/connections/prove-import.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { buildGrant } from '../support/rows.ts';

const server = await startEvilServer();
afterAll(server.close);

const prove = createProveImport({
  outbound: createOutbound({ allowPrivateNetworks: true }),
  clientOf: async () => ({ clientId: '', clientSecrets: [], secretVariables: {} }),
});

const provider = acmeProvider(
  {
    auth: 'api-key',
    authorizationUrl: undefined,
    tokenUrl: undefined,
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    variables: { site: { from: 'user', pattern: '[a-z]+', title: 'Site' } },
    probe: { url: `${server.origin}/{site}/me` },
  },
  true,
);

const importOf = (variables: Record<string, string>) =>
  prove(
    provider,
    acmeIntegration(),
    buildGrant({ values: { apiKey: 'key-1' }, refreshToken: null }, { variables }),
  );

describe('credentials that are imported', () => {
  it('are refused where their provider cannot be asked about them for want of a variable', async () => {
    await expect(importOf({})).rejects.toMatchObject({
      code: 'variable_invalid',
      errors: [{ path: 'body.credentials.variables.site', message: expect.stringMatching(/\w/) }],
    });
  });

  it.each([
    [401, 'credentials_invalid', 'Acme refused the credentials with status 401'],
    [418, 'credentials_invalid', 'Acme gave an answer that does not prove the credentials: status 418'],
    [503, 'upstream_unreachable', 'Acme could not be asked whether it takes the credentials: status 503'],
  ])('and are answered with %i are %s', async (status, code, detail) => {
    server.answer({ status, body: '{}' });
    await expect(importOf({ site: 'eu' })).rejects.toMatchObject({
      code,
      detail: expect.stringContaining(detail),
    });
  });

  it('are taken where the provider takes them', async () => {
    server.answer({ status: 200, body: '{"id":"7"}' });
    await expect(importOf({ site: 'eu' })).resolves.toBeUndefined();
  });
});
