import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { type ImportConnection, importConnectionBody } from '../../src/connections/connections.schema.ts';
import { createPrepareImport } from '../../src/connections/import-connection.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { TENANT_A, TENANT_B } from '../support/client-certificates.ts';

type Dependencies = Parameters<typeof createPrepareImport>[0];

const KEY = { kind: 'api_key', projectId: 'project-1', keyId: 'key-1' } as unknown as Parameters<
  ReturnType<typeof createPrepareImport>
>[0];

/** The grant that an import would store; rejects where it is refused. */
async function importInto(
  provider: Provider,
  credentials: Partial<ImportConnection['credentials']>,
  kept: Record<string, string> = {},
) {
  const stored: unknown[] = [];
  const prepare = createPrepareImport({
    providers: { find: async () => provider },
    access: {
      find: async (_principal: unknown, _mode: unknown, _absent: unknown, read: (ids: string[]) => unknown) =>
        read(['project-1']),
    },
    connections: { insert: async (...given: unknown[]) => String(stored.push(given[2])) },
    recordActivity: async () => undefined,
    findIntegration: async () => ({
      id: 'integration-1',
      projectId: 'project-1',
      serviceProvider: 'acme',
      grant: null,
      variables: {},
    }),
    secretVariablesOf: async () => kept,
    endUserId: async () => 'end-user-1',
    logIn: async () => ({ ok: false, error: 'credentials_refused' }),
    proveImport: async () => undefined,
  } as unknown as Dependencies);
  const store = await prepare(KEY, {
    integrationId: 'integration-1',
    userId: 'mia',
    credentials: { variables: {}, ...credentials },
  } as ImportConnection);
  await store({} as Parameters<typeof store>[0]);
  return stored[0];
}

const variable = { from: 'user', title: 'A variable', example: 'acme', pattern: '[a-z]{1,20}' };

describe('an import', () => {
  it('needs no variable that only the authorization has', async () => {
    const provider = acmeProvider({
      authorizationUrl: 'https://{site}.acme.example/authorize',
      variables: { site: variable },
    });
    expect(await importInto(provider, { accessToken: 'a' })).toMatchObject({ variables: {} });
  });

  it('needs the variables of the address that calls go to', async () => {
    const provider = acmeProvider({
      apiBaseUrl: 'https://{site}.acme.example',
      variables: { site: variable },
    });
    await expect(importInto(provider, { accessToken: 'a' })).rejects.toMatchObject({
      code: 'variable_invalid',
      errors: [{ path: 'body.credentials.variables.site' }],
    });
    const given = { accessToken: 'a', variables: { site: 'eu' } };
    expect(await importInto(provider, given)).toMatchObject({ variables: { site: 'eu' } });
  });

  it('needs every secret that calls carry, unless the integration keeps it', async () => {
    const provider = acmeProvider({
      apiHeaders: { 'X-Signature': '{passphrase}' },
      variables: { passphrase: { ...variable, secret: true } },
    });
    await expect(importInto(provider, { accessToken: 'a' })).rejects.toMatchObject({
      code: 'credentials_invalid',
      errors: [{ path: 'body.credentials.variables.passphrase' }],
    });
    expect(await importInto(provider, { accessToken: 'a' }, { passphrase: 'kept' })).toBeDefined();
    const given = { accessToken: 'a', variables: { passphrase: 'sesame' } };
    expect(await importInto(provider, given)).toMatchObject({
      variables: {},
      credentials: { values: { accessToken: 'a', passphrase: 'sesame' } },
    });
  });

  it('needs the variables of the address for refreshes where it brings a refresh token', async () => {
    const provider = acmeProvider({
      tokenUrl: 'https://{site}.acme.example/token',
      variables: { site: variable },
    });
    expect(await importInto(provider, { accessToken: 'a' })).toMatchObject({ variables: {} });
    await expect(importInto(provider, { accessToken: 'a', refreshToken: 'r' })).rejects.toMatchObject({
      code: 'variable_invalid',
      errors: [{ path: 'body.credentials.variables.site' }],
    });
  });

  it('needs a certificate and a key that belong together', async () => {
    const provider = acmeProvider({
      auth: 'api-key',
      authorizationUrl: undefined,
      tokenUrl: undefined,
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      variables: {
        certificate: { from: 'user', secret: true, input: 'certificate' },
        privateKey: { from: 'user', secret: true, input: 'private-key' },
      },
      clientCertificate: { certificate: '{certificate}', privateKey: '{privateKey}' },
    });
    expect(await importInto(provider, { apiKey: 'k', variables: TENANT_A })).toMatchObject({
      credentials: { values: { apiKey: 'k', privateKey: expect.stringContaining('PRIVATE KEY') } },
    });
    const mixed = { ...TENANT_A, privateKey: TENANT_B.privateKey };
    await expect(importInto(provider, { apiKey: 'k', variables: mixed })).rejects.toMatchObject({
      code: 'variable_invalid',
      errors: [{ path: expect.stringMatching(/^body\.credentials\.variables\.(certificate|privateKey)$/) }],
    });
  });

  it.each([
    ['2026-01-31T12:00:00Z', true],
    ['2026-01-31T12:00:00.123+05:30', true],
    ['2026-01-31T12:00:00', false],
    ['2026-01-31', false],
    ['soon', false],
  ])('takes the end %s of an access token: %p', (expiresAt, isTaken) => {
    const body = {
      integrationId: '0192f0c8-0000-7000-8000-000000000001',
      userId: 'mia',
      credentials: { accessToken: 'a', expiresAt },
    };
    expect(importConnectionBody.safeParse(body).success).toBe(isTaken);
  });
});
