import { type ExactTimestampFormat, parseExactTimestamp } from '../../lib/timestamps.ts';
import { fillFirst, type PayloadItem } from '../message/item-values.ts';
import { decodeUtf8, readMessage, type WebhookMessage } from '../message/read-message.ts';
import type { VerifiedReason } from '../message/verified-reasons.ts';
import type { ExtractedEvents, WebhookDescription, WebhookItem, WebhookRequest } from '../message/webhook.ts';
import { findElements, readXml } from '../message/xml-elements.ts';
import { chooseDedupeKey } from './dedupe-key.ts';
import { nameEvent } from './event-names.ts';
import { ITEMS_MAX, readPayloadItems } from './payload-items.ts';

type Described = Pick<WebhookDescription, 'providerId' | 'payload' | 'events' | 'signature'>;

/**
 * The events of a verified webhook, in the provider's order; none for a heartbeat. Never throws: the reason says in
 * words what is wrong with a body that cannot be read. A body of 5 MiB may take
 * 100 ms of one core, in one piece.
 */
export function extractEvents(description: Described, request: WebhookRequest): ExtractedEvents {
  const message = readMessage(request, description.payload);
  const items = readItems(description, message);
  if (typeof items === 'string') return { ok: false, reason: items };
  const { format, xmlElements = [] } = description.payload;
  const read = format === 'xml' ? createReadXmlValues(xmlElements) : (item: PayloadItem) => item;
  return { ok: true, items: items.map((item) => buildItem(read(item), description, message)) };
}

/** The items, or what is wrong. */
function readItems(
  { payload, signature }: Pick<Described, 'payload' | 'signature'>,
  message: WebhookMessage,
): readonly PayloadItem[] | VerifiedReason {
  if (payload.format === 'empty') return [buildHeadersItem(message, payload.headerPrefix ?? 'x-', signature)];
  if (payload.format === 'xml') return readXmlItems(message, payload.items);
  const text = message.jsonText();
  if (text === undefined) return 'the body is not text in UTF-8, or not the form that is expected';
  const json = message.json();
  if (json === undefined) return 'the body is not JSON, or is nested too deep, or has too many values';
  return readPayloadItems(json, text, payload) ?? tooManyItems();
}

function tooManyItems(): VerifiedReason {
  return `the body has more than ${ITEMS_MAX} events`;
}

/** For notices without a body: the provider's own headers, but the one with the secret. */
function buildHeadersItem(
  { request }: WebhookMessage,
  prefix: string,
  signature: Described['signature'],
): PayloadItem {
  const secretPlace = 'at' in signature ? signature.at.toLowerCase() : '';
  const own = [...request.headers].filter(
    ([name]) => name.startsWith(prefix) && `header:${name}` !== secretPlace,
  );
  const value = Object.fromEntries(own.map(([name, values]) => [name, values.join(', ')]));
  return { value, source: JSON.stringify(value), parent: value };
}

/** XML is passed on as `{ "xml": "…" }`; the names in templates are those of elements. */
function readXmlItems(
  { request }: WebhookMessage,
  given: string | readonly string[] | undefined,
): PayloadItem[] | VerifiedReason {
  const text = decodeUtf8(request.body);
  if (text === undefined) return 'the body is not text in UTF-8';
  const [name] = [given ?? []].flat();
  const elements = name === undefined ? [text] : findElements(text, name, ITEMS_MAX + 1);
  if (elements.length > ITEMS_MAX) return tooManyItems();
  const parent = { xml: text };
  return elements.map((xml) => ({ value: { xml }, source: JSON.stringify({ xml }), parent }));
}

function buildItem(item: PayloadItem, description: Described, message: WebhookMessage): WebhookItem {
  const { payload, events, providerId } = description;
  const read = (templates: string | readonly string[] | undefined) => fillFirst(templates, item, message);
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
      source: item.source,
    }),
    accountId,
    object: objectId === null ? undefined : { type: object, id: objectId, change },
    occurredAt: parseOccurredAt(occurredAt, payload.occurredAtUnit),
    dataText: item.source,
  };
}

/** Reads elements of an item, and of the document around all of them where the item has none of the name. */
function createReadXmlValues(names: readonly string[]): (item: PayloadItem) => PayloadItem {
  // The document is searched once for a name: thousands of items may lack it.
  const around = new Map<string, string | undefined>();

  function readAround(name: string, document: string): string | undefined {
    if (!around.has(name)) around.set(name, readXml(document, name));
    return around.get(name);
  }

  return (item) => {
    const own = readXmlMember(item.value);
    const document = readXmlMember(item.parent);
    const values = names.map((name) => [name, readXml(own, name) ?? readAround(name, document)] as const);
    return { ...item, value: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
  };
}

function readXmlMember(value: unknown): string {
  const xml: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'xml') : undefined;
  return typeof xml === 'string' ? xml : '';
}

function parseOccurredAt(text: string | null, format: ExactTimestampFormat): Date | null {
  const ms = text === null ? undefined : parseExactTimestamp(text, format);
  return ms === undefined ? null : new Date(ms);
}
