import { randomBytes } from 'node:crypto';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { describeWebhooks } from '../../src/webhooks/message/description.ts';
import type { WebhookDescription } from '../../src/webhooks/message/webhook.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import type { GatewayOptions } from '../support/gateway-environment.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { signWebhook } from './sign-webhook.ts';

const OAUTH = {
  auth: 'oauth2',
  authorizationUrl: 'https://provider.test/authorize',
  tokenUrl: 'https://provider.test/token',
  apiBaseUrl: 'https://api.provider.test',
};

/** Providers that send webhooks in the ways between which the receiver has to decide. */
const FILES = {
  // As HubSpot does: batches for all accounts at one address, signed with the client secret.
  hub: {
    ...OAUTH,
    id: 'hub',
    name: 'Hub',
    webhooks: {
      supported: true,
      scope: 'application',
      signature: {
        scheme: 'hmac',
        at: 'header:X-Hub-Signature-v3',
        signed: ['{method}', '{url}', '{body}', '{timestamp}'],
        encoding: 'base64',
        timestamp: { at: 'header:X-Hub-Request-Timestamp', unit: 'milliseconds' },
      },
      alternatives: {
        v1: { scheme: 'digest', at: 'header:X-Hub-Signature', signed: ['{secret}', '{body}'] },
      },
      secret: { from: 'client' },
      retryHours: 24,
      payload: {
        items: '[]',
        eventType: '{subscriptionType}',
        eventId: '{eventId}',
        objectId: '{objectId}',
        account: '{portalId}',
        occurredAt: '{occurredAt}',
        occurredAtUnit: 'milliseconds',
        dedupe: '{eventId}:{subscriptionId}:{objectId}:{occurredAt}',
      },
    },
  },
  // As Slack does: a challenge, and a signing secret of its own.
  chat: {
    ...OAUTH,
    id: 'chat',
    name: 'Chat',
    webhooks: {
      supported: true,
      scope: 'application',
      signature: {
        scheme: 'hmac',
        at: 'header:X-Chat-Signature',
        prefix: 'v0=',
        signed: ['v0:', '{timestamp}', ':', '{body}'],
        timestamp: { at: 'header:X-Chat-Request-Timestamp' },
      },
      secret: { from: 'operator' },
      handshake: [
        {
          when: ['body:type=url_verification'],
          signed: true,
          answer: { text: '{body:challenge}' },
        },
      ],
      payload: {
        eventType: '{event.type}',
        eventId: '{event_id}',
        objectId: '{event.channel}',
        account: '{team_id}',
      },
    },
  },
  // As Microsoft Graph does: a token in the query is echoed, and every event has the secret in it.
  graph: {
    ...OAUTH,
    id: 'graph',
    name: 'Graph',
    webhooks: {
      supported: true,
      scope: 'connection',
      signature: { scheme: 'token', at: 'body:value[].clientState' },
      secret: { from: 'operator' },
      handshake: [
        {
          when: ['query:validationToken'],
          answer: { text: '{query:validationToken}' },
        },
      ],
      acknowledge: { status: 202 },
      payload: { items: 'value[]', eventType: 'message.{changeType}', objectId: '{resourceData.id}' },
    },
  },
  // As Pipedrive does: an address for each connection, and HTTP Basic.
  pipes: {
    ...OAUTH,
    id: 'pipes',
    name: 'Pipes',
    webhooks: {
      supported: true,
      scope: 'connection',
      registration: [
        {
          by: 'api',
          request: {
            url: '/v1/webhooks',
            body: {
              subscription_url: '{webhookUrl}',
              event_object: '{event}',
              http_auth_user: '{webhookUser}',
              http_auth_password: '{webhookPassword}',
            },
          },
          perEvent: true,
          events: ['*'],
          answer: { id: 'data.id' },
          remove: { method: 'DELETE', url: '/v1/webhooks/{registrationId}' },
        },
      ],
      signature: { scheme: 'basic' },
      secret: { from: 'gateway' },
      payload: { eventType: '{meta.entity}.{meta.action}', eventId: '{meta.id}', objectId: '{data.id}' },
    },
  },
  // As Google's channels: registrations end, and are prolonged.
  watch: {
    ...OAUTH,
    id: 'watch',
    name: 'Watch',
    webhooks: {
      supported: true,
      scope: 'connection',
      registration: [
        {
          by: 'api',
          request: {
            url: '/watch',
            body: { id: '{webhookId}', address: '{webhookUrl}', token: '{webhookSecret}' },
          },
          answer: { id: 'id', expiresAt: 'expiration' },
          expiresSeconds: 60,
          renew: { method: 'PUT', url: '/watch/{registrationId}', body: { id: '{webhookId}' } },
        },
      ],
      signature: { scheme: 'token', at: 'header:X-Channel-Token' },
      secret: { from: 'gateway' },
      payload: { format: 'empty', eventType: '{header:X-Resource-State}' },
    },
  },
  // As FreshBooks: each event is registered, proves the address with a secret of its own, and wants it repeated.
  books: {
    ...OAUTH,
    id: 'books',
    name: 'Books',
    webhooks: {
      supported: true,
      scope: 'connection',
      registration: [
        {
          by: 'api',
          request: {
            url: '/accounts/{accountId}/callbacks',
            body: { event: '{event}', uri: '{webhookUrl}' },
          },
          perEvent: true,
          answer: { id: 'id' },
          confirm: {
            method: 'PUT',
            url: '/accounts/{accountId}/callbacks/{registrationId}',
            body: { verifier: '{handshakeSecret}' },
          },
        },
      ],
      signature: { scheme: 'hmac', at: 'header:X-Books-Signature', signed: ['{body}'], encoding: 'base64' },
      secret: { from: 'handshake' },
      handshake: [
        { when: ['form:verifier'], keepSecret: 'form:verifier', registration: 'form:callback', answer: {} },
      ],
      payload: { format: 'form', eventType: '{name}', objectId: '{object}', account: '{account}' },
    },
  },
  // As Asana: the provider's handshake brings the secret while the gateway waits for the registration's answer.
  tasks: {
    ...OAUTH,
    id: 'tasks',
    name: 'Tasks',
    webhooks: {
      supported: true,
      scope: 'connection',
      registration: [
        {
          by: 'api',
          request: { url: '/tasks/hooks', body: { resource: '{resource}', target: '{webhookUrl}' } },
          parameters: { resource: { title: 'Resource' } },
          answer: { id: 'id' },
          remove: { method: 'DELETE', url: '/tasks/hooks/{registrationId}' },
        },
      ],
      signature: { scheme: 'hmac', at: 'header:X-Hook-Signature', signed: ['{body}'] },
      secret: { from: 'handshake' },
      handshake: [
        {
          when: ['header:X-Hook-Secret'],
          keepSecret: 'header:X-Hook-Secret',
          answer: { headers: { 'X-Hook-Secret': '{header:X-Hook-Secret}' } },
        },
      ],
      payload: { eventType: '{event}', objectId: '{id}' },
    },
  },
  // As Twitch: the application registers for accounts, with a token of its own.
  stream: {
    ...OAUTH,
    id: 'stream',
    name: 'Stream',
    apiHeaders: { 'Client-Id': '{clientId}' },
    webhooks: {
      supported: true,
      scope: 'application',
      clientToken: { scopes: ['hooks'] },
      registration: [
        {
          by: 'api',
          authorization: 'application',
          request: {
            url: '/hooks',
            body: { type: '{event}', condition: { user: '{accountId}' }, secret: '{webhookSecret}' },
          },
          perEvent: true,
          answer: { id: 'id' },
          remove: { method: 'DELETE', url: '/hooks?id={registrationId}' },
        },
      ],
      signature: { scheme: 'hmac', at: 'header:X-Stream-Signature', signed: ['{body}'] },
      secret: { from: 'gateway' },
      payload: { eventType: '{type}', objectId: '{id}', account: '{user}' },
    },
  },
  // Nothing is signed, and the operator enters the address.
  manual: {
    ...OAUTH,
    id: 'manual',
    name: 'Manual',
    webhooks: {
      supported: true,
      scope: 'connection',
      registration: [{ by: 'portal', steps: ['Enter {webhookUrl} under Settings.'] }],
      signature: { scheme: 'none' },
      secret: { from: 'none' },
      payload: { eventType: '{event}', objectId: '{id}' },
    },
  },
} as const;

export type ProviderId = keyof typeof FILES;

export type ReceiverStage<Started extends Gateway = Gateway> = {
  readonly gateway: Started;
  readonly project: Project;
  readonly catalogDir: string;
  readonly close: () => Promise<void>;
};

export function describeProvider(id: ProviderId): WebhookDescription {
  const loaded = providerFromFile(FILES[id], { allowPrivateNetworks: true });
  const description = loaded.ok ? describeWebhooks(loaded.provider) : undefined;
  if (description === undefined) throw new Error(`no webhooks: ${JSON.stringify(loaded)}`);
  return description;
}

/** `apiBaseUrl`: where the providers' APIs are. */
export const startReceiverStage = (options?: GatewayOptions, apiBaseUrl?: string) =>
  prepareReceiverStage(startGateway, options, apiBaseUrl);

/** With a gateway that can be killed. */
export const spawnReceiverStage = (options?: GatewayOptions) => prepareReceiverStage(spawnGateway, options);

async function prepareReceiverStage<Started extends Gateway>(
  start: (options: GatewayOptions) => Promise<Started>,
  options: GatewayOptions = {},
  apiBaseUrl: string = OAUTH.apiBaseUrl,
): Promise<ReceiverStage<Started>> {
  const catalog = await createCatalogDir(
    Object.fromEntries(
      Object.entries(FILES).map(([id, file]) => [
        id,
        JSON.stringify({ ...file, apiBaseUrl, tokenUrl: `${apiBaseUrl}/token` }),
      ]),
    ),
  );
  const gateway = await start({ catalogDir: catalog.path, ...options });
  const project = await provision(gateway);
  const close = async () => {
    await gateway.stop();
    await catalog.remove();
  };
  return { gateway, project, catalogDir: catalog.path, close };
}

export type TestIntegration = {
  readonly id: string;
  readonly clientSecret: string;
  readonly webhookUrl: string;
};

export async function integrate(
  { gateway, project }: Pick<ReceiverStage, 'gateway' | 'project'>,
  serviceProvider: ProviderId,
  webhookSecret?: string,
): Promise<TestIntegration> {
  const clientSecret = randomBytes(24).toString('base64url');
  const made = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body: { serviceProvider, clientId: 'client', clientSecret, scopes: [], webhookSecret },
  });
  return { id: made.id, clientSecret, webhookUrl: made.webhookUrl };
}

export function connect(
  { gateway, project }: Pick<ReceiverStage, 'gateway' | 'project'>,
  integrationId: string,
  userId: string,
  accountId?: string,
) {
  return callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    body: { integrationId, userId, accountId, credentials: { accessToken: 'token' } },
  });
}

export type Sent = {
  readonly url: string;
  readonly secret: string;
  /** The address that the signature is about, where it is not the one that is called. */
  readonly signedUrl?: string;
  readonly body: string | Buffer;
  readonly nowMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Signs and sends a webhook as the provider would. */
export async function send(
  provider: ProviderId,
  { url, secret, body, nowMs, headers, signedUrl = url }: Sent,
) {
  const signed = signWebhook(
    describeProvider(provider),
    {
      method: 'POST',
      url: signedUrl,
      query: '',
      headers: new Map(Object.entries({ 'content-type': ['application/json'] })),
      body: Buffer.from(body),
    },
    secret,
    nowMs ?? Date.now(),
  );
  const fields = [...signed.headers].map(([name, values]) => [name, values.join(', ')] as const);
  return post(url, signed.body, { ...Object.fromEntries(fields), ...headers });
}

export async function post(
  url: string,
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(url, { method: 'POST', body: Buffer.from(body), headers });
  const text = await response.text();
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    code: isProblem ? JSON.parse(text).code : '',
  };
}

let lastEventId = 0;

/** A batch of so many events of an account, in the way of HubSpot. */
export function buildBatch(count: number, portalId: string | number, extra: object = {}): object[] {
  return Array.from({ length: count }, () => {
    lastEventId += 1;
    return {
      eventId: lastEventId,
      subscriptionId: 17,
      portalId,
      occurredAt: 1_790_000_000_000 + lastEventId,
      subscriptionType: 'contact.creation',
      attemptNumber: 0,
      objectId: lastEventId,
      ...extra,
    };
  });
}

/** The events of the project's stream that came by webhook, in their order. */
export async function readEvents({ gateway, project }: Pick<ReceiverStage, 'gateway' | 'project'>) {
  const events = [];
  for (let after = ''; ; ) {
    const page = await callApiOk(
      gateway.url,
      'GET',
      `/v1/events?limit=1000${after === '' ? '' : `&after=${after}`}`,
      { bearer: project.apiKey },
    );
    events.push(...page.events.filter(({ source }: { source: string }) => source === 'webhook'));
    if (page.events.length === 0) return events;
    after = page.nextAfter;
  }
}

export function listReceipts(
  { gateway, project }: Pick<ReceiverStage, 'gateway' | 'project'>,
  query: string,
) {
  return callApiOk(gateway.url, 'GET', `/v1/webhook-receipts?${query}`, { bearer: project.apiKey }).then(
    ({ receipts }) => receipts,
  );
}
