import { type Demo, startDemo } from '../../examples/demo/start-demo.ts';
import { type Call, createCall, toText } from './call.ts';
import { seedDestinations, seedWebhooks } from './seed-events.ts';
import { type SeededProviders, seedProviders } from './seed-providers.ts';
import { seedSettings } from './seed-settings.ts';

export type SeededGateway = {
  readonly url: string;
  readonly operator: { readonly email: string; readonly password: string };
  readonly projectId: string;
  /** A project with nothing in it. */
  readonly emptyProjectId: string;
  /** One thing of each kind. */
  readonly ids: { readonly integration: string; readonly connection: string };
  readonly providers: Pick<SeededProviders, 'mcpIntegration' | 'connectSite' | 'createConnectLink'>;
  readonly close: () => Promise<void>;
};

/** Beside the demo CRM, which answers; the clients of these exist at no provider. */
const PROVIDERS = [
  ['hubspot', ['crm.objects.contacts.read', 'crm.objects.companies.read']],
  ['github', ['repo', 'read:user']],
  ['notion', []],
  ['stripe', ['read_write']],
  ['slack', ['channels:read', 'chat:write']],
] as const;

const USERS = [
  ['user-mia', 'Northwind Traders'],
  ['user-noah', 'Fabrikam Residences'],
  ['user-lena', 'Adventure Works'],
  ['user-omar', 'Contoso'],
  ['user-yuki', 'Tailspin Toys'],
] as const;

/** The demo, filled as after some weeks of use: integrations, connections of users, calls that worked and failed. */
export async function startSeededGateway(): Promise<SeededGateway> {
  const demo = await startDemo({ ports: { gateway: 0, crm: 0, app: 0 } });
  const { gatewayUrl: url, project } = demo;
  const call = createCall(url, project.personalAccessToken);
  const created = await call('POST', '/v1/projects', { name: 'Staging' });
  const integrations = await seedIntegrations(call, project.projectId);
  const receivers = await seedDestinations(call, project.projectId);
  const connection = await seedConnections(call, integrations);
  await seedWebhooks({
    call,
    projectId: project.projectId,
    integrationId: integrations[0] ?? '',
    clientSecret: CLIENT.clientSecret,
    accountId: '4000000',
  });
  await seedSettings(call, project.projectId);
  const providers = await seedProviders(call, createCall(url, project.apiKey), project.projectId);
  await callProvider(demo);
  return {
    url,
    operator: { email: project.email, password: project.password },
    projectId: project.projectId,
    emptyProjectId: toText(created.id),
    ids: { integration: integrations[0] ?? '', connection },
    providers,
    close: async () => {
      await demo.close();
      providers.close();
      receivers.close();
    },
  };
}

const CLIENT = { clientId: 'client-4711', clientSecret: 'the secret of no client' };

async function seedIntegrations(call: Call, projectId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [serviceProvider, scopes] of PROVIDERS) {
    const made = await call('POST', '/v1/integrations', { projectId, serviceProvider, ...CLIENT, scopes });
    ids.push(toText(made.id));
  }
  return ids;
}

async function seedConnections(call: Call, integrations: readonly string[]): Promise<string> {
  let last = '';
  for (const [index, integrationId] of integrations.entries()) {
    for (const [userId, accountName] of USERS.slice(0, USERS.length - index)) {
      const made = await call('POST', '/v1/connections', {
        integrationId,
        userId,
        accountName,
        accountId: String(4_000_000 + index * 77),
        credentials: { accessToken: `token-of-${userId}`, refreshToken: `refresh-of-${userId}` },
      });
      last = toText(made.id);
    }
  }
  return last;
}

/** Some proxied calls of the demo's user, who has not connected: refusals of the gateway. */
async function callProvider({ gatewayUrl, project, userToken }: Demo): Promise<void> {
  for (const path of [
    'crm/v3/objects/contacts?limit=2',
    'crm/v3/objects/companies',
    'account-info/v3/details',
  ]) {
    const response = await fetch(`${gatewayUrl}/projects/${project.projectId}/proxy/demo-crm/${path}`, {
      headers: { authorization: `Bearer ${userToken}` },
    });
    await response.arrayBuffer();
  }
}
