import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { EXAMPLE_HEAD } from '../src/events/gateway-events/event-payloads.ts';
import { type PathStep, parsePath } from '../src/lib/json-path.ts';
import { describeWebhooks } from '../src/webhooks/message/description.ts';
import type { WebhookDescription, WebhookItem, WebhookRequest } from '../src/webhooks/message/webhook.ts';
import { nameEvent } from '../src/webhooks/processing/event-names.ts';
import { extractEvents } from '../src/webhooks/processing/extract-events.ts';
import { EXAMPLES } from '../test/webhooks/examples.ts';

/** A little before the event. */
const OCCURRED_AT = new Date(Math.floor(EXAMPLE_HEAD.createdAt.getTime() / 1000 - 1) * 1000);
const CHANGES = ['created', 'updated', 'deleted', 'other'] as const;

/** A type of event and the provider's own names of it. */
export type ProviderEventType = { readonly type: string; readonly names: readonly string[] };

/** The types of a provider whose names are known, in alphabetical order; the provider may send others. */
export function namedEventTypes(provider: Provider): ProviderEventType[] {
  const description = describeWebhooks(provider);
  if (description === undefined) return [];
  const named = namesOf(description).map((name) => {
    const { object, change } = nameEvent(name, undefined, description.events);
    return { type: `${provider.id}.${object}.${change}`, name };
  });
  const delivered = documentedEvents(description).map(({ type, providerType: name }) => ({ type, name }));
  const all = [...delivered, ...named, ...combinedTypes(description)];
  const byType = Map.groupBy(all, ({ type }) => type);
  return [...byType]
    .map(([type, same]) => ({ type, names: [...new Set(same.map(({ name }) => name))].filter(Boolean) }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

/**
 * Events as the gateway makes them of deliveries, one of each type: of those that the provider documents, as far as the
 * tests have them, else of one that has what the provider's file reads and nothing else. None where that tells too little.
 */
export function sampleEvents(provider: Provider): WebhookItem[] {
  const description = describeWebhooks(provider);
  if (description === undefined) return [];
  const documented = documentedEvents(description);
  if (documented.length > 0) return [...new Map(documented.map((item) => [item.type, item])).values()];
  const names = description.payload.eventType === undefined ? [''] : namesOf(description);
  const made = names.map((name) => sampleOf(description, name)).filter((item) => item !== undefined);
  const rank = ({ type }: WebhookItem) => CHANGES.findIndex((change) => type.endsWith(`.${change}`));
  return made.toSorted((a, b) => rank(a) - rank(b)).slice(0, 1);
}

/** Of the deliveries with which the tests try the provider's file. */
function documentedEvents(description: WebhookDescription): WebhookItem[] {
  return EXAMPLES.filter(({ id }) => id === description.providerId).flatMap(({ headers = {}, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = { ...REQUEST, headers: new Map(fields), body: Buffer.from(text) };
    const split = extractEvents(description, request);
    return split.ok ? split.items : [];
  });
}

/** Every change of every object by its first word, where the file names both and the delivery names the object apart. */
function combinedTypes({ providerId, payload, events }: WebhookDescription) {
  if (payload.objectType === undefined || events === undefined) return [];
  return Object.values(events.objects).flatMap((object) =>
    CHANGES.flatMap((change) => {
      const [word] = Object.entries(events.changes).find(([, means]) => means === change) ?? [];
      const type = `${providerId}.${object}.${change}`;
      return word === undefined ? [] : [{ type, name: `${object}${events.separator}${word}` }];
    }),
  );
}

/** Names that stand in the file. */
function namesOf({ events, registration = [] }: WebhookDescription): string[] {
  // What is subscribed to may be a family of events, which the rule makes `other` of.
  const subscribed = registration
    .flatMap((one) => (one.by === 'api' ? one.events : []))
    .filter((name) => nameEvent(name, undefined, events).change !== 'other');
  const names = [...Object.keys(events?.names ?? {}), ...subscribed];
  return [...new Set(names)].filter((name) => !name.includes('*'));
}

type Draft = { readonly root: object; readonly item: object; readonly headers: Map<string, string[]> };

function sampleOf(description: WebhookDescription, name: string): WebhookItem | undefined {
  const { payload } = description;
  if (payload.format !== 'json' && payload.format !== 'empty') return undefined;
  const [items] = [payload.items ?? []].flat();
  const draft: Draft = { root: {}, item: {}, headers: new Map() };
  assign(draft, payload.eventType, name);
  const { object } = nameEvent(name, undefined, description.events);
  const ids = [payload.objectId ?? []].flat();
  assign(draft, ids.find((template) => template.includes(object)) ?? ids, '123');
  assign(draft, payload.account, '62515');
  assign(draft, payload.eventId, '9f2c41d7');
  assign(draft, payload.occurredAt, timestampText(payload.occurredAtUnit));
  const body = items === undefined ? { ...draft.root, ...draft.item } : nest(items, draft);
  const item = splitSingle(description, {
    ...REQUEST,
    headers: draft.headers,
    body: Buffer.from(JSON.stringify(body)),
  });
  return item?.providerType === name ? item : undefined;
}

const REQUEST = { method: 'POST', url: 'https://gateway.example.com/webhooks/1', query: '' };

function splitSingle(description: WebhookDescription, request: WebhookRequest): WebhookItem | undefined {
  const split = extractEvents(description, request);
  return split.ok && split.items.length === 1 ? split.items[0] : undefined;
}

function timestampText(unit: 'seconds' | 'milliseconds' | 'iso'): string {
  if (unit === 'iso') return OCCURRED_AT.toISOString();
  return String(unit === 'seconds' ? OCCURRED_AT.getTime() / 1000 : OCCURRED_AT.getTime());
}

/** Puts values where the first template that can make the text reads them. */
function assign(draft: Draft, templates: string | readonly string[] | undefined, text: string): void {
  for (const template of [templates ?? []].flat()) {
    const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
    const literals = template
      .split(/\{[^{}]+\}/)
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const match = new RegExp(`^${literals.join('(.+?)')}$`, 's').exec(text);
    if (match === null) continue;
    for (const [index, name] of names.entries()) put(draft, name, match[index + 1] ?? '');
    return;
  }
}

function put({ root, item, headers }: Draft, name: string, text: string): void {
  if (name.startsWith('header:')) {
    headers.set(name.slice('header:'.length).toLowerCase(), [text]);
  } else if (name.startsWith('root:')) {
    putMember(root, parsePath(name.slice('root:'.length)), text);
  } else if (!name.includes(':')) {
    putMember(item, parsePath(name), text);
  }
}

/** A member that has a value already keeps it. */
function putMember(holder: object, [step, ...rest]: readonly PathStep[], text: string): void {
  if (step === undefined) return;
  const name = typeof step === 'string' ? '0' : step.name;
  const known: unknown = Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
  if (rest.length === 0) {
    if (known === undefined) Reflect.set(holder, name, /^\d{1,15}$/.test(text) ? Number(text) : text);
    return;
  }
  const next = typeof known === 'object' && known !== null ? known : rest[0] === 'each' ? [] : {};
  if (next !== known) Reflect.set(holder, name, next);
  putMember(next, rest, text);
}

/** The item in the lists that its path names: `[]`, `events[]`, `entry[].changes[]`. */
function nest(path: string, { root, item }: Draft): unknown {
  const wrapped = parsePath(path).reduceRight<unknown>(
    (inner, step) =>
      step === 'each' ? [inner] : typeof step === 'string' ? { 0: inner } : { [step.name]: inner },
    item,
  );
  return Array.isArray(wrapped) || typeof wrapped !== 'object' ? wrapped : { ...root, ...wrapped };
}
