import { crc32 } from 'node:zlib';
import { joinSortedForm, SIGNED_PART_HOOKS } from '../../catalog/facts/quirks.ts';
import { findValue, parsePath, toText } from '../../lib/json-path.ts';
import { splitPlace, type WebhookMessage } from '../message/read-message.ts';

/** What the parts of a signature are made of. */
export type PartsContext = {
  readonly message: WebhookMessage;
  /** As it stands in the webhook; undefined where the scheme has none. */
  readonly timestamp: string | undefined;
  readonly secret: string;
  /** `{url}` in the form that is tried. */
  readonly url: string;
  /** Elements of the signature's header, where it holds a list. */
  readonly elements: readonly string[];
  /** In the place of the body for `{json:path}`: one item of the payload. */
  readonly item?: unknown;
};

/** The bytes of every part in order; undefined where one of them is not there. */
export function collectParts(
  signed: readonly string[],
  context: PartsContext,
): (string | Buffer)[] | undefined {
  const parts = signed.map((part) => (part.startsWith('{') ? readPart(part.slice(1, -1), context) : part));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function readPart(placeholder: string, context: PartsContext): string | Buffer | undefined {
  const { message, timestamp, secret, url } = context;
  switch (placeholder) {
    case 'body':
      return message.request.body;
    case 'url':
      return url;
    case 'endpoint':
      return message.request.url;
    case 'method':
      return message.request.method;
    case 'timestamp':
      return timestamp;
    case 'secret':
      return secret;
    case 'form':
      return joinSortedForm(message.form());
    case 'crc32':
      return String(crc32(message.request.body));
    default:
      return readNamedPart(placeholder, context);
  }
}

function readNamedPart(placeholder: string, { message, elements, item }: PartsContext): string | undefined {
  const { kind, name } = splitPlace(placeholder);
  if (kind === 'hook') {
    return SIGNED_PART_HOOKS[name]?.({ request: message.request, form: message.form, elements });
  }
  // A member that an event has no value for is signed as nothing.
  if (kind === 'json') return toText(findValue(item ?? message.json(), parsePath(name))?.value) ?? '';
  const value = message.read(placeholder);
  if (value.state === 'found') return value.text;
  return value.state === 'missing' && kind !== 'header' ? '' : undefined;
}

/** The registered address with the query that came, as most providers sign it. */
export function buildFullUrl({ url, query }: { readonly url: string; readonly query: string }): string {
  return query === '' ? url : `${url}?${query}`;
}

/** The forms of the address that count: as it stands, and with the characters decoded that the provider decodes. */
export function listUrlForms(url: string, decoded: readonly string[] | undefined): string[] {
  if (decoded === undefined) return [url];
  const wanted = new Set(decoded);
  const other = url.replace(/%[0-9A-Fa-f]{2}/g, (encoded) =>
    wanted.has(encoded.toUpperCase()) ? decodeURIComponent(encoded) : encoded,
  );
  return other === url ? [url] : [url, other];
}
