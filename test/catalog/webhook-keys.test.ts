import { describeWebhooks } from '../../src/webhooks/message/description.ts';
import type { WebhookDescription } from '../../src/webhooks/message/webhook.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const RECEIVED = builtInCatalog.list().flatMap((provider) => {
  const description = describeWebhooks(provider);
  return description ? [{ provider, description, payload: description.payload }] : [];
});

type Payload = WebhookDescription['payload'];

/** Placeholders of keys that move with each change, where they are not those of `occurredAt`. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  bamboohr: ['{header:X-BambooHR-Timestamp}'],
  'google-calendar': ['{header:X-Goog-Message-Number}'],
  'google-drive': ['{header:X-Goog-Message-Number}'],
  'google-workspace-admin': ['{header:X-Goog-Message-Number}'],
  pandadoc: ['{data.date_modified}'],
  smartsheet: ['{root:nonce}'],
  webex: ['{data.updated}', '{data.lastActivity}'],
};
/** The notification is the object. */
const EVENTS_AS_OBJECTS = ['linkedin'];
/** Times that sound like an object's creation and are the event's. */
const TIMES_OF_EVENTS = ['cal-com'];

const templatesOf = (templates: string | readonly string[] | undefined) => [templates ?? []].flat();
const placeholdersOf = (templates: string | readonly string[] | undefined) =>
  templatesOf(templates).flatMap((template) => template.match(/\{[^{}]+\}/g) ?? []);
const sharesOne = (some: readonly string[], others: readonly string[]) =>
  some.some((one) => others.includes(one));

const named = RECEIVED.map(({ provider, payload }) => [provider.id, payload] as const);
const withKeys = named.filter(([, { dedupe }]) => dedupe !== undefined && dedupe !== 'none');
const withIds = named.filter(([, { eventId }]) => eventId !== undefined);
const withoutEither = named.filter(
  ([, { eventId, dedupe }]) => eventId === undefined && dedupe === undefined,
);

function namesEvent(payload: Payload, template: string): boolean {
  return sharesOne(placeholdersOf(template), placeholdersOf(payload.eventId));
}

describe('repetitions of webhooks are told from second changes by', () => {
  it.each(withKeys)('%s with keys that name the object and something that moves', (id, payload) => {
    const moving = [...placeholdersOf(payload.occurredAt), ...(MOVING[id] ?? [])];
    for (const template of templatesOf(payload.dedupe)) {
      const placeholders = placeholdersOf(template);
      const namesObject = sharesOne(placeholders, placeholdersOf(payload.objectId));
      const namesChange = namesObject && sharesOne(placeholders, moving);
      expect([template, namesEvent(payload, template) || namesChange]).toEqual([template, true]);
    }
  });

  it.each(withIds)('%s with an id that is the provider’s own and no object’s', (id, payload) => {
    for (const template of templatesOf(payload.eventId)) {
      expect(template).toMatch(/^\{[^{}]+\}$/);
      if (!EVENTS_AS_OBJECTS.includes(id))
        expect(templatesOf(payload.objectId).slice(0, 1)).not.toContain(template);
    }
  });

  it.each(withoutEither)(
    '%s with its bytes, which name an object and the time of the change',
    (id, payload) => {
      expect(templatesOf(payload.objectId)).not.toEqual([]);
      expect(templatesOf(payload.occurredAt)).not.toEqual([]);
      if (!TIMES_OF_EVENTS.includes(id))
        expect(placeholdersOf(payload.occurredAt).join()).not.toMatch(/creat/i);
    },
  );
});

const signedByClient = RECEIVED.filter(
  ({ provider, description }) => description.secret.from === 'client' && provider.auth !== 'oauth2',
).map(({ provider }) => [provider.id, provider.setupSteps] as const);

it.each(signedByClient)(
  'the set-up steps of %s ask for the secret that its webhooks are signed with',
  (_id, steps) => {
    expect(steps.join('\n')).toMatch(/client secret of this integration, since \w+ signs webhooks with it/);
    expect(steps.join('\n')).not.toMatch(/secret[^.]* is not needed/);
  },
);
