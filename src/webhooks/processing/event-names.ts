import type { WebhookEvents } from '../../catalog/schema/provider-webhooks.schema.ts';

export type EventChange = 'created' | 'updated' | 'deleted' | 'other';

const NAME_LENGTH_MAX = 60;

/** Words with which providers name a change, in lower case without separators. */
const USUAL_WORDS: Readonly<Record<string, EventChange>> = {
  create: 'created',
  created: 'created',
  creation: 'created',
  creates: 'created',
  add: 'created',
  added: 'created',
  new: 'created',
  insert: 'created',
  inserted: 'created',
  update: 'updated',
  updated: 'updated',
  change: 'updated',
  changed: 'updated',
  edit: 'updated',
  edited: 'updated',
  modified: 'updated',
  modify: 'updated',
  renamed: 'updated',
  moved: 'updated',
  delete: 'deleted',
  deleted: 'deleted',
  deletion: 'deleted',
  remove: 'deleted',
  removed: 'deleted',
  destroyed: 'deleted',
  trashed: 'deleted',
};

/**
 * Object and change of a provider's event type. An exact name of the file counts first, then the words of the type.
 * What is not understood is `other`, under the object that the type begins with.
 */
export function nameEvent(
  providerType: string,
  objectType: string | undefined,
  events: WebhookEvents | undefined,
): { readonly object: string; readonly change: EventChange } {
  const exact =
    events !== undefined && Object.hasOwn(events.names, providerType)
      ? events.names[providerType]
      : undefined;
  if (exact !== undefined) return exact;
  const words = splitWords(providerType, events?.separator ?? '.');
  const isFirst = events?.changeAt === 'first';
  const word = (isFirst ? words[0] : words.at(-1)) ?? '';
  const change = readChange(word, events) ?? 'other';
  const hasOthers = words.length > 1;
  const rest = isFirst ? words.slice(1) : words.slice(0, -1);
  const own = hasOthers ? rest : change === 'other' ? words : [];
  const object = objectType ?? rename(own.join('_'), events) ?? events?.object;
  return { object: slugify(rename(object, events) ?? ''), change };
}

function readChange(word: string, events: WebhookEvents | undefined): EventChange | undefined {
  if (events !== undefined && Object.hasOwn(events.changes, word)) return events.changes[word];
  const plain = word.toLowerCase();
  return Object.hasOwn(USUAL_WORDS, plain) ? USUAL_WORDS[plain] : undefined;
}

function splitWords(type: string, separator: string): string[] {
  const words = separator === 'camel' ? type.split(/(?=[A-Z][a-z])/) : type.split(separator);
  return words.filter((word) => word !== '');
}

function rename(object: string | undefined, events: WebhookEvents | undefined): string | undefined {
  if (object === undefined || object === '') return undefined;
  return events !== undefined && Object.hasOwn(events.objects, object) ? events.objects[object] : object;
}

/** `DealStage` becomes `deal_stage`: lower-case letters, digits and single underscores; `event` where nothing is left. */
function slugify(name: string): string {
  const slug = name
    .slice(0, NAME_LENGTH_MAX)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '');
  return slug === '' ? 'event' : slug;
}
