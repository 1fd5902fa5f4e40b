import { createHmac } from 'node:crypto';
import { type FakeCrm, startFakeCrm } from '../polls/fake-crm.ts';
import { createCatalogDir } from './catalog-dir.ts';
import {
  type ApiCall,
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from './gateway.ts';
import { type OtlpCollector, startOtlpCollector } from './otlp-collector.ts';
import { WEBHOOKS_WITH_SECRET } from './planted-provider.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTokenProvider, type TokenProvider } from './token-provider.ts';

export const COLLECTOR_KEY = 'key-of-the-collector';
export const WEBHOOK_SECRET = 'secret-of-the-webhooks';

/** A gateway that sends to a collector, with a provider that has tokens and webhooks, one that is polled, and a receiver. */
export type TracedStage = {
  readonly collector: OtlpCollector;
  readonly provider: TokenProvider;
  readonly crm: FakeCrm;
  readonly receiver: Receiver;
  readonly gateway: Gateway;
  readonly project: Project;
  readonly integrations: { readonly good: string; readonly keyed: string };
  /** As the project's backend. */
  api(method: string, path: string, call?: ApiCall): Promise<Awaited<ReturnType<typeof callApiOk>>>;
  connect(integrationId: string, userId: string, credentials: object): Promise<string>;
  call(userId: string, path: string, headers?: Record<string, string>): ReturnType<typeof callApi>;
  /** A webhook of the provider, signed with `secret`. */
  sendWebhook(secret: string): ReturnType<typeof callApi>;
  close(): Promise<void>;
};

export async function startTracedStage(env: Readonly<Record<string, string>> = {}): Promise<TracedStage> {
  const [collector, provider, crm, receiver] = [
    await startOtlpCollector(),
    await startTokenProvider(),
    await startFakeCrm(),
    await startReceiver(),
  ];
  const catalog = await createCatalogDir({
    good: `${provider.providerFile('good')}${WEBHOOKS_WITH_SECRET}`,
    keyed: `id: keyed\nname: Keyed\nauth: api-key\napiBaseUrl: ${crm.url}\napiKey: { in: header, name: X-Key, template: 'Key {apiKey}' }\n`,
  });
  const gateway = await startGateway({
    catalogDir: catalog.path,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${COLLECTOR_KEY}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20run',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_BLRP_SCHEDULE_DELAY: '50',
      ...env,
    },
  });
  const project = await provision(gateway);
  const api: TracedStage['api'] = (method, path, call = {}) =>
    callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
  const integrate = async (serviceProvider: string, more: object): Promise<string> =>
    (await api('POST', '/integrations', { body: { serviceProvider, ...more } })).id;
  const good = await integrate('good', {
    clientId: 'client',
    clientSecret: 'secret-of-the-client',
    scopes: ['read'],
    webhookSecret: WEBHOOK_SECRET,
  });
  const keyed = await integrate('keyed', {});
  return {
    ...{ collector, provider, crm, receiver, gateway, project, api },
    integrations: { good, keyed },
    connect: async (integrationId, userId, credentials) =>
      (await api('POST', '/connections', { body: { integrationId, userId, credentials } })).id,
    call: (userId, path, headers = {}) =>
      callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/good${path}`, {
        bearer: project.userToken(userId),
        headers,
      }),
    async sendWebhook(secret) {
      const { webhookUrl } = await api('GET', `/integrations/${good}`);
      const body = { type: 'thing.updated' };
      const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
      const path = new URL(webhookUrl).pathname;
      return callApi(gateway.url, 'POST', path, { body, headers: { 'x-signature': signature } });
    },
    async close() {
      await gateway.stop();
      await catalog.remove();
      for (const server of [collector, provider, crm, receiver]) await server.close();
    },
  };
}
