import { findValue, parsePath, toText } from '../../lib/json-path.ts';
import { readSource } from '../../lib/json-source.ts';
import { isStorableText } from '../../lib/storable-text.ts';
import type { WebhookMessage } from './read-message.ts';

/** One event of a webhook: its value, the value around it, and the bytes of both as text. */
export type PayloadItem = {
  readonly value: unknown;
  readonly source: string;
  /** The element of the list one level above; the whole body where there is none. */
  readonly parent: unknown;
};

const VALUE_LENGTH_MAX = 500;
const PLACEHOLDER = /\{([^{}]+)\}/g;

/** The first of the templates whose placeholders all have a value; null where none has, or the text is no sane id. */
export function fillFirst(
  templates: string | readonly string[] | undefined,
  item: PayloadItem,
  message: WebhookMessage,
): string | null {
  for (const template of [templates ?? []].flat()) {
    const filled = fill(template, item, message);
    if (filled !== undefined)
      return filled.length <= VALUE_LENGTH_MAX && isStorableText(filled) ? filled : null;
  }
  return null;
}

function fill(template: string, item: PayloadItem, message: WebhookMessage): string | undefined {
  let filled = '';
  for (const part of parseTemplate(template)) {
    if ('literal' in part) {
      filled += part.literal;
      continue;
    }
    const value = readPlaceholder(part.name, item, message);
    if (value === undefined || value === '') return undefined;
    filled += value;
  }
  return filled;
}

type TemplatePart = { readonly literal: string } | { readonly name: string };

const TEMPLATES_KEPT_MAX = 5_000;
const parsedTemplates = new Map<string, readonly TemplatePart[]>();

/** Templates are of the catalog, and each is filled for every event. */
function parseTemplate(template: string): readonly TemplatePart[] {
  const known = parsedTemplates.get(template);
  if (known !== undefined) return known;
  // Every second piece is what a placeholder names.
  const pieces = template.split(PLACEHOLDER);
  const parts = pieces
    .map((piece, index) => (index % 2 === 0 ? { literal: piece } : { name: piece }))
    .filter((part) => !('literal' in part && part.literal === ''));
  // Custom providers come and go: their templates must not fill the memory.
  if (parsedTemplates.size >= TEMPLATES_KEPT_MAX) parsedTemplates.clear();
  parsedTemplates.set(template, parts);
  return parts;
}

function readPlaceholder(name: string, item: PayloadItem, message: WebhookMessage): string | undefined {
  if (name.startsWith('header:') || name.startsWith('query:')) {
    const value = message.read(name);
    return value.state === 'found' ? value.text : undefined;
  }
  if (name.startsWith('root:'))
    return readMember(message.json(), name.slice('root:'.length), message.jsonText);
  if (name.startsWith('parent:')) return readMember(item.parent, name.slice('parent:'.length), undefined);
  return readMember(item.value, name, () => item.source);
}

/** A member as text. A number that JavaScript cannot hold is taken as it is written. */
function readMember(
  value: unknown,
  path: string,
  source: (() => string | undefined) | undefined,
): string | undefined {
  const found = findValue(value, parsePath(path));
  if (found === undefined) return undefined;
  const isExact = typeof found.value !== 'number' || Number.isSafeInteger(found.value);
  const text = isExact ? undefined : source?.();
  return (text === undefined ? undefined : readSource(text, found.names)) ?? toText(found.value);
}
