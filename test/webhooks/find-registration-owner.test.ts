import { createFindRegistrationOwner } from '../../src/webhooks/subscriptions/find-registration-owner.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { UNUSED_STORE } from '../support/unused-store.ts';

const VARIABLES = { region: 'eu' };
const CLIENT = { clientId: 'client-1', clientSecrets: ['secret-1'] };
const WITH_WEBHOOKS = acmeProvider({
  webhooks: {
    supported: true,
    docsUrl: 'https://acme.example/docs',
    scope: 'application',
    registration: [{ by: 'portal', steps: ['Enter the address.'] }],
    signature: { scheme: 'none' },
    secret: { from: 'none' },
    payload: { eventType: '{type}', objectId: '{id}', dedupe: 'none' },
  },
});

/** A project with one integration, `grant` of its provider. */
const start = (provider: ReturnType<typeof acmeProvider> | undefined) => {
  const asked: unknown[] = [];
  const find = createFindRegistrationOwner({
    db: UNUSED_STORE,
    providers: {
      find: (...args) => {
        asked.push(args);
        return provider;
      },
    },
    integrations: {
      findEvenDeleted: async (_db, id, projectIds) =>
        id === 'integration-1' && projectIds.includes('project-1')
          ? acmeIntegration({ grant: 'access-token', variables: VARIABLES })
          : undefined,
    },
    clientOf: async () => CLIENT,
  });
  return { find, asked };
};

describe('the owner of a registration', () => {
  it('is known by its webhooks, its client and its values', async () => {
    const { find, asked } = start(WITH_WEBHOOKS);
    expect(await find('integration-1', 'project-1')).toEqual({
      description: expect.objectContaining({ providerId: 'acme', signature: { scheme: 'none' } }),
      client: CLIENT,
      variables: VARIABLES,
    });
    expect(asked).toEqual([['project-1', 'acme', 'access-token']]);
  });

  it.each([
    ['another project', 'integration-1', 'project-2', WITH_WEBHOOKS],
    ['an integration that is erased', 'integration-2', 'project-1', WITH_WEBHOOKS],
    ['a provider that is gone', 'integration-1', 'project-1', undefined],
    ['a provider without webhooks', 'integration-1', 'project-1', acmeProvider()],
  ])('is not found for %s', async (_what, integrationId, projectId, provider) => {
    expect(await start(provider).find(integrationId, projectId)).toBeUndefined();
  });
});
