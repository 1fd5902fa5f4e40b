import { parseExactTimestamp } from '../../lib/timestamps.ts';
import { fillFirst, type PayloadItem } from '../message/item-values.ts';
import { type Delivery, decodeUtf8, readDelivery } from '../message/read-message.ts';
import type { SplitWebhook, WebhookDescription, WebhookItem, WebhookRequest } from '../message/webhook.ts';
import { elementsNamed, readXml } from '../message/xml-elements.ts';
import { chooseDedupeKey } from './dedupe-key.ts';
import { nameEvent } from './event-names.ts';
import { ITEMS_MAX, itemsOf } from './payload-items.ts';

type Described = Pick<WebhookDescription, 'providerId' | 'payload' | 'events' | 'signature'>;

/**
 * The events of a verified delivery, in the provider's order; none for a heartbeat. Never throws: the reason says in
 * words what is wrong with a body that cannot be split. A body of 5 MiB may take
 * 100 ms of one core, in one piece.
 */
export function splitWebhook(description: Described, request: WebhookRequest): SplitWebhook {
  const delivery = readDelivery(request, description.payload);
  const items = readItems(description, delivery);
  if (typeof items === 'string') return { ok: false, reason: items };
  return { ok: true, items: items.map((item) => eventOf(item, description, delivery)) };
}

/** The items, or what is wrong. */
function readItems(
  { payload, signature }: Pick<Described, 'payload' | 'signature'>,
  delivery: Delivery,
): readonly PayloadItem[] | string {
  if (payload.format === 'empty') return [headersItem(delivery, payload.headerPrefix ?? 'x-', signature)];
  if (payload.format === 'xml') return xmlItems(delivery, payload.items);
  const text = delivery.jsonText();
  if (text === undefined) return 'the body is not text in UTF-8, or not the form that is expected';
  const json = delivery.json();
  if (json === undefined) return 'the body is not JSON, or is nested too deep, or has too many values';
  return itemsOf(json, text, payload) ?? `the body has more than ${ITEMS_MAX} events`;
}

/** For notices without a body: the provider's own headers, but the one with the secret. */
function headersItem({ request }: Delivery, prefix: string, signature: Described['signature']): PayloadItem {
  const secretPlace = 'at' in signature ? signature.at.toLowerCase() : '';
  const own = [...request.headers].filter(
    ([name]) => name.startsWith(prefix) && `header:${name}` !== secretPlace,
  );
  const value = Object.fromEntries(own.map(([name, values]) => [name, values.join(', ')]));
  return { value, source: JSON.stringify(value), parent: value };
}

/** XML is passed on as `{ "xml": "…" }`; the names in templates are those of elements. */
function xmlItems(
  { request }: Delivery,
  given: string | readonly string[] | undefined,
): PayloadItem[] | string {
  const text = decodeUtf8(request.body);
  if (text === undefined) return 'the body is not text in UTF-8';
  const [name] = [given ?? []].flat();
  const elements = name === undefined ? [text] : elementsNamed(text, name);
  return elements.map((xml) => ({ value: { xml }, source: JSON.stringify({ xml }), parent: { xml: text } }));
}

function eventOf(given: PayloadItem, description: Described, delivery: Delivery): WebhookItem {
  const { payload, events, providerId } = description;
  const item = payload.format === 'xml' ? xmlValues(given, payload.xmlElements ?? []) : given;
  const read = (templates: string | readonly string[] | undefined) => fillFirst(templates, item, delivery);
  const providerType = read(payload.eventType) ?? '';
  const { object, change } = nameEvent(providerType, read(payload.objectType) ?? undefined, events);
  const objectId = read(payload.objectId);
  const eventId = read(payload.eventId);
  const accountId = read(payload.account);
  const occurredAt = read(payload.occurredAt);
  return {
    type: `${providerId}.${object}.${change}`,
    providerType,
    eventId,
    dedupeKey: chooseDedupeKey({
      declared: read(payload.dedupe),
      eventId,
      accountId,
      providerType,
      objectId,
      occurredAt,
      source: given.source,
    }),
    accountId,
    object: objectId === null ? undefined : { type: object, id: objectId, change },
    occurredAt: momentOf(occurredAt, payload.occurredAtUnit),
    dataText: given.source,
  };
}

/** Elements of the item, and of the document around it where the item has none of the name. */
function xmlValues(item: PayloadItem, names: readonly string[]): PayloadItem {
  const own = textMember(item.value);
  const around = textMember(item.parent);
  const values = names.map((name) => [name, readXml(own, name) ?? readXml(around, name)] as const);
  return { ...item, value: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}

function textMember(value: unknown): string {
  const xml: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'xml') : undefined;
  return typeof xml === 'string' ? xml : '';
}

function momentOf(text: string | null, unit: 'seconds' | 'milliseconds' | 'iso'): Date | null {
  const moment = text === null ? undefined : parseExactTimestamp(text, unit);
  const date = moment === undefined ? undefined : new Date(moment);
  return date === undefined || Number.isNaN(date.getTime()) ? null : date;
}
