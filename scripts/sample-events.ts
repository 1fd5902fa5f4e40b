import type { Provider } from '../src/catalog/provider.schema.ts';
import { EXAMPLE_HEAD } from '../src/events/event-payloads.ts';
import { describeWebhooks } from '../src/webhooks/description.ts';
import { nameEvent } from '../src/webhooks/event-names.ts';
import { type PathStep, stepsOf } from '../src/webhooks/json-path.ts';
import { splitWebhook } from '../src/webhooks/split.ts';
import type { WebhookDescription, WebhookItem, WebhookRequest } from '../src/webhooks/webhook.ts';

/** A little before the event. */
const OCCURRED_AT = new Date(Math.floor(EXAMPLE_HEAD.createdAt.getTime() / 1000 - 1) * 1000);
const CHANGES = ['created', 'updated', 'deleted', 'other'] as const;

/** A type of event and the provider's own names of it. */
export type ProviderEventType = { readonly type: string; readonly names: readonly string[] };

/** Common names of providers whose files have rules in the place of names. */
const COMMON_NAMES: Readonly<Record<string, readonly string[]>> = {
  github: [
    'issues.opened',
    'issues.edited',
    'issue_comment.created',
    'pull_request.opened',
    'pull_request.closed',
  ],
  hubspot: [
    'contact.creation',
    'contact.propertyChange',
    'contact.deletion',
    'company.creation',
    'deal.propertyChange',
  ],
  linear: ['Issue.create', 'Issue.update', 'Comment.create'],
  notion: ['page.created', 'page.deleted', 'comment.created'],
  sentry: ['issue.created', 'issue.resolved'],
  square: ['payment.created', 'payment.updated', 'customer.created'],
  stripe: ['customer.created', 'customer.subscription.updated', 'invoice.paid', 'customer.deleted'],
  zoom: ['meeting.created', 'meeting.updated', 'meeting.ended'],
};

/** The types of a provider whose names are known, in alphabetical order; the provider may send others. */
export function namedEventTypes(provider: Provider): ProviderEventType[] {
  const description = describeWebhooks(provider);
  if (description === undefined) return [];
  const byType = Map.groupBy(namesOf(description), (name) => {
    const { object, change } = nameEvent(name, undefined, description.events);
    return `${provider.id}.${object}.${change}`;
  });
  return [...byType].map(([type, names]) => ({ type, names })).sort((a, b) => (a.type < b.type ? -1 : 1));
}

/**
 * An event as the gateway makes it of a delivery that has all that the provider's file reads, and nothing else. Undefined
 * where no such delivery can be made from the file alone.
 */
export function sampleEvent(provider: Provider): WebhookItem | undefined {
  const description = describeWebhooks(provider);
  if (description === undefined) return undefined;
  const names = description.payload.eventType === undefined ? [''] : namesOf(description);
  const samples = names.map((name) => sampleOf(description, name)).filter((item) => item !== undefined);
  const rank = ({ type }: WebhookItem) => CHANGES.findIndex((change) => type.endsWith(`.${change}`));
  return samples.reduce<WebhookItem | undefined>(
    (best, item) => (best === undefined || rank(item) < rank(best) ? item : best),
    undefined,
  );
}

/** Names that stand in the file, or are known otherwise. */
function namesOf({ providerId, events, registration = [] }: WebhookDescription): string[] {
  // What is subscribed to may be a family of events, which the rule makes `other` of.
  const subscribed = registration
    .flatMap((one) => (one.by === 'api' ? one.events : []))
    .filter((name) => nameEvent(name, undefined, events).change !== 'other');
  const names = [...(COMMON_NAMES[providerId] ?? []), ...Object.keys(events?.names ?? {}), ...subscribed];
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
  assign(draft, payload.occurredAt, momentText(payload.occurredAtUnit));
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
  const split = splitWebhook(description, request);
  return split.ok && split.items.length === 1 ? split.items[0] : undefined;
}

function momentText(unit: 'seconds' | 'milliseconds' | 'iso'): string {
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
    putMember(root, stepsOf(name.slice('root:'.length)), text);
  } else if (!name.includes(':')) {
    putMember(item, stepsOf(name), text);
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
  const wrapped = stepsOf(path).reduceRight<unknown>(
    (inner, step) =>
      step === 'each' ? [inner] : typeof step === 'string' ? { 0: inner } : { [step.name]: inner },
    item,
  );
  return Array.isArray(wrapped) || typeof wrapped !== 'object' ? wrapped : { ...root, ...wrapped };
}
