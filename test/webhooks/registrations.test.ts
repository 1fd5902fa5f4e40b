import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import type { WebhookCall } from '../../src/catalog/schema/webhook-registration.schema.ts';
import {
  type ApiRegistration,
  chooseIds,
  fillCall,
} from '../../src/webhooks/subscriptions/registration-calls.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;

type Registration = { readonly provider: Provider; readonly registration: ApiRegistration };

const registrations: Registration[] = catalog.list().flatMap(({ id }) => {
  const provider = catalog.find(id);
  return (provider?.webhooks.registration ?? []).flatMap((registration) =>
    provider !== undefined && registration.by === 'api' ? [{ provider, registration }] : [],
  );
});

/** What the gateway and the subscribing operator have when they register: everything but what only a response has. */
function listValues({ provider, registration }: Registration) {
  const named = [...provider.variables.map(({ name }) => name), ...Object.keys(registration.parameters)];
  return {
    ...Object.fromEntries(named.map((name) => [name, `some-${name}`])),
    webhookUrl: 'https://gateway.test/webhooks/i/part',
    webhookSecret: 'user:secret',
    webhookUser: 'user',
    webhookPassword: 'secret',
    verifyToken: 'secret',
    clientId: 'client',
    clientSecret: 'client-secret',
    accountId: 'account',
    expiresAt: '2026-01-01T00:00:00.000Z',
    expiresAtMs: '1767225600000',
    handshakeSecret: 'of-the-handshake',
    ...chooseIds(),
    ...(registration.perEvent && { event: 'contact.created' }),
  };
}

const EVENTS = ['contact.created', 'contact.deleted'];
const AFTERWARDS = { registrationId: '1000123', resourceId: 'resource' };

function callsOf({ registration }: Registration): [string, WebhookCall, object][] {
  const { request, secretRequest, confirm, renew, remove } = registration;
  const later = Object.entries({ secretRequest, confirm, renew, remove }).flatMap(
    ([name, call]): [string, WebhookCall, object][] =>
      call === undefined || call === 'again' ? [] : [[name, call, AFTERWARDS]],
  );
  return [['request', request, {}], ...later];
}

function fillRequest(providerId: string, name = 'request') {
  const found = registrations.find(({ provider }) => provider.id === providerId);
  const [, call, more] = (found && callsOf(found).find(([known]) => known === name)) ?? [];
  const filled = found && call && fillCall(call, { ...listValues(found), ...more }, EVENTS);
  return { ...filled, body: JSON.parse(filled?.body ?? 'null') };
}

describe('registrations of webhooks in the catalog', () => {
  it('have a value for every template of every call, and nothing of a template is left', () => {
    const faults = registrations.flatMap((one) =>
      callsOf(one).flatMap(([name, call, more]) => {
        const filled = fillCall(call, { ...listValues(one), ...more }, EVENTS);
        const isWhole = filled !== undefined && !/\{[A-Za-z]+\}|"each"/.test(JSON.stringify(filled));
        return isWhole ? [] : [`${one.provider.id} ${name}: ${JSON.stringify(filled)}`];
      }),
    );
    expect(faults).toEqual([]);
    expect(registrations.length).toBeGreaterThan(60);
  });

  it('name the API’s base once', () => {
    const doubled = registrations.flatMap(({ provider, registration }) => {
      const [, path = ''] = /^[^/]*\/\/[^/]*(\/.*)$/.exec(provider.apiBaseUrl) ?? [];
      const isDoubled = path.length > 1 && registration.request.url.startsWith(path);
      return isDoubled ? [`${provider.id}: ${provider.apiBaseUrl}${registration.request.url}`] : [];
    });
    expect(doubled).toEqual([]);
  });

  it('repeat an element for each event, with the event in parts where it is wanted so', () => {
    expect(fillRequest('attio').body.data.subscriptions).toEqual([
      { event_type: 'contact.created', filter: null },
      { event_type: 'contact.deleted', filter: null },
    ]);
    expect(fillRequest('close').body.events).toEqual([
      { object_type: 'contact', action: 'created' },
      { object_type: 'contact', action: 'deleted' },
    ]);
  });

  it('name what is registered by the number that the provider or the gateway gave it', () => {
    for (const name of ['renew', 'remove']) {
      expect(fillRequest('jira', name).body).toEqual({ webhookIds: [1_000_123] });
    }
    const [{ channel_id: channel }] = fillRequest('zoho-crm').body.watch;
    expect(channel).toMatch(/^[1-9]\d{14}$/);
  });
});
