import type { Provider } from '../../src/catalog/provider.schema.ts';
import type { ImportConnection } from '../../src/connections/connections.schema.ts';
import { createPrepareImport } from '../../src/connections/import-connection.ts';
import { acmeProvider } from '../support/acme-provider.ts';

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
    access: { projectsOf: async () => ['project-1'], requireProjectAccess: async () => undefined },
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
});
