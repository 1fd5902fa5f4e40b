import {
  type ApiCall,
  callApi,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import type { GatewayOptions } from '../support/gateway-environment.ts';

export const SCOPES = ['oauth', 'crm.objects.contacts.read'];

/** A file with one object of each kind that a key may manage. */
export const FILE = {
  version: 1,
  project: {
    allowedOrigins: ['https://app.example.com'],
    limits: { proxyCallsPerMinute: 600 },
    branding: { displayName: 'Shop', color: '#0a7d33' },
    tagClaims: ['plan'],
  },
  customProviders: [
    {
      name: 'acme-crm',
      definition: {
        name: 'Acme CRM',
        category: 'crm',
        auth: 'oauth2',
        authorizationUrl: 'https://crm.acme.example/oauth/authorize',
        tokenUrl: 'https://crm.acme.example/oauth/token',
        apiBaseUrl: 'https://crm.acme.example/api',
      },
    },
  ],
  mandates: [
    {
      name: 'Reading contacts',
      entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read', paths: ['/crm/v3/**'] }],
    },
  ],
  integrations: [
    {
      name: 'crm',
      serviceProvider: 'hubspot',
      displayName: 'HubSpot (Europe)',
      clientId: 'client-of-crm',
      clientSecret: `\${env:CRM_SECRET}`,
      scopes: SCOPES,
    },
    {
      name: 'own',
      serviceProvider: 'custom:acme-crm',
      clientId: 'client-of-own',
      clientSecret: `\${file:secrets/own}`,
      scopes: ['read'],
    },
  ],
  polls: [{ name: 'contacts', integration: 'crm', resource: 'contacts', intervalSeconds: 300 }],
  destinations: [
    { name: 'events', url: 'https://app.example.com/events', types: ['hubspot.*'], description: 'Ours' },
  ],
};

export const SECRETS = { 'env:CRM_SECRET': 'the secret of crm', 'file:secrets/own': 'the secret of own' };

export type ConfigurationStage = {
  readonly gateway: Gateway;
  readonly project: Project;
  readonly api: ReturnType<typeof createApi>;
};

export async function startConfigurationStage(options: GatewayOptions = {}): Promise<ConfigurationStage> {
  const gateway = await startGateway(options);
  const project = await provision(gateway);
  return { gateway, project, api: createApi(gateway.url, project) };
}

export type File = Readonly<Record<string, unknown>>;

/** The operations on the configuration of a project, by its API key unless another credential is given. */
export function createApi(url: string, project: Pick<Project, 'id' | 'apiKey'>, bearer = project.apiKey) {
  const path = `/v1/projects/${project.id}/configuration`;
  const call = (operation: string, body: unknown, more: ApiCall = {}) =>
    callApi(url, 'POST', `${path}/${operation}`, { bearer, body, ...more });
  const plan = (configuration: unknown, more: object = { secrets: SECRETS }) =>
    call('plan', { configuration, ...more });
  return {
    call,
    plan,
    path,
    export: () => call('export', {}),
    drift: (body: object = {}) => call('drift', body),
    async apply(configuration: unknown, more: object = { secrets: SECRETS }) {
      const planned = await plan(configuration, more);
      if (planned.status !== 200) return planned;
      return call('apply', { configuration, ...more, stateHash: planned.body.stateHash });
    },
    get: (at: string) => callApi(url, 'GET', at, { bearer }),
    send: (method: string, at: string, body?: unknown) =>
      callApi(url, method, at, { bearer, ...(body !== undefined && { body }) }),
  };
}
