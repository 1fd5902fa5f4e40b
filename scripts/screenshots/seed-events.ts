import { createHmac } from 'node:crypto';
import type { Call } from './call.ts';
import { listenOnLoopback } from './loopback-server.ts';

export type EventsTarget = {
  readonly call: Call;
  readonly projectId: string;
  /** Of HubSpot, with this client secret and connections of this account. */
  readonly integrationId: string;
  readonly clientSecret: string;
  readonly accountId: string;
};

/** Destinations whose receivers take what they get, fail and are switched off. Ends the receivers with `close`. */
export async function seedDestinations(call: Call, projectId: string): Promise<{ close(): void }> {
  let failures = 0;
  const good = await receive((respond) => respond(200, '{"received":true}'));
  const bad = await receive((respond) => {
    failures += 1;
    respond(failures % 3 === 0 ? 503 : 500, `{"error":"deadlock detected","attempt":${failures}}\n`);
  });
  const create = (body: object) => call('POST', '/v1/event-destinations', { projectId, ...body });
  await create({ url: `${good.url}/hooks/gateway`, types: ['*'], description: 'Backend' });
  await create({
    url: `${bad.url}/search-index`,
    types: ['connection.*', 'hubspot.*'],
    ordered: 'connection',
  });
  const off = await create({
    url: `${good.url}/warehouse`,
    types: ['hubspot.contact.*'],
    format: 'cloudevents',
  });
  await call('POST', `/v1/event-destinations/${off.id}/disable`);
  return {
    close() {
      for (const receiver of [good, bad]) receiver.close();
    },
  };
}

/** Webhooks that match, that no connection has, and that are refused; and a poll. */
export async function seedWebhooks({ call, ...target }: EventsTarget): Promise<void> {
  const integration = await call('GET', `/v1/integrations/${target.integrationId}`);
  const url = String(integration.webhookUrl);
  const batch = (portalId: number, offset: number) =>
    JSON.stringify(
      [1, 2, 3].map((index) => ({
        eventId: offset + index,
        subscriptionId: 4711,
        subscriptionType: index === 1 ? 'contact.creation' : 'contact.propertyChange',
        objectId: 5000 + index,
        portalId,
        occurredAt: Date.now(),
        propertyName: 'email',
        propertyValue: `ada+${index}@northwind.test`,
      })),
    );
  const ours = batch(Number(target.accountId), 100);
  await post(url, ours, signature(url, ours, target.clientSecret));
  await post(url, ours, signature(url, ours, target.clientSecret));
  const strange = batch(99, 200);
  await post(url, strange, signature(url, strange, target.clientSecret));
  await post(url, ours, signature(url, ours, 'an older secret'));
  await post(url, ours, {});
  const poll = { integrationId: target.integrationId, intervalSeconds: 300 };
  await call('POST', '/v1/polls', { ...poll, resource: 'contacts' });
  const deals = await call('POST', '/v1/polls', { ...poll, resource: 'deals', intervalSeconds: 900 });
  await call('POST', `/v1/polls/${deals.id}/pause`);
}

function signature(url: string, body: string, secret: string): Record<string, string> {
  const timestamp = String(Date.now());
  const mac = createHmac('sha256', secret).update(`POST${url}${body}${timestamp}`);
  return { 'x-hubspot-signature-v3': mac.digest('base64'), 'x-hubspot-request-timestamp': timestamp };
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
}

type Respond = (status: number, body: string) => void;

function receive(answer: (respond: Respond) => void) {
  return listenOnLoopback((request, response) => {
    request.resume().on('end', () => answer((status, body) => response.writeHead(status).end(body)));
  });
}
