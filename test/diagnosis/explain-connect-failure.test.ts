import { createExplainConnectFailure } from '../../src/diagnosis/explain-connect-failure.ts';
import { createReadContext } from '../../src/diagnosis/integration-context.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';

const INTEGRATION = acmeIntegration({ scopes: ['read', 'write'] });
const SESSION = { integrationId: INTEGRATION.id, projectId: INTEGRATION.projectId };
const FAILED = { error: 'integration_misconfigured', reason: 'redirect_uri_mismatch' };

const explain = createExplainConnectFailure({
  contextOf: createReadContext({
    providers: { find: () => acmeProvider() },
    publicUrl: 'https://gw.example',
  }),
  findIntegration: async (id, projectId) =>
    id === INTEGRATION.id && projectId === INTEGRATION.projectId ? INTEGRATION : undefined,
});

describe('the finding of a connect session that failed', () => {
  it('names the redirect URL and the scopes of its integration', async () => {
    const finding = await explain({ ...FAILED, session: SESSION, provider: 'acme' });
    expect(finding).toMatchObject({
      code: 'redirect_url_refused',
      parameters: {
        provider: 'Acme',
        redirectUrl: expect.stringMatching(/^https:\/\/gw\.example\//),
        scopes: 'read, write',
      },
    });
  });

  it.each<[title: string, session: { integrationId: string | null; projectId: string } | undefined]>([
    ['was not found', undefined],
    ['has lost its integration', { ...SESSION, integrationId: null }],
    ['is of an integration of another project', { ...SESSION, projectId: 'project-2' }],
  ])('names the provider alone where the session %s', async (_title, session) => {
    const { parameters } = await explain({ ...FAILED, session, provider: 'acme' });
    expect(parameters).toMatchObject({ provider: 'acme', redirectUrl: '', scopes: '' });
  });

  it('names no provider where none is known', async () => {
    const { parameters } = await explain({ ...FAILED, session: undefined, provider: undefined });
    expect(parameters.provider).toBe('the provider');
  });
});
