import { callApiOk, type Gateway, type Project, provision } from '../../test/support/gateway.ts';

export const USER = 'mia';

/** A new project with one user whose connection to the provider was brought along. */
export async function connectUser(gateway: Pick<Gateway, 'url' | 'env'>, provider: string): Promise<Project> {
  const project = await provision(gateway);
  const bearer = project.apiKey;
  const body = { serviceProvider: provider, clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body });
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: USER, credentials: { accessToken: 'access-token' } },
  });
  return project;
}
