import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { readPath, toFilledText } from '../../lib/json-path.ts';
import { isJsonType, isXmlType } from '../../lib/structured-types.ts';
import type { CallRefusal } from '../../proxy/contract.ts';

/** A body of a few KiB that was compressed is no longer than this. */
const DECODED_BYTES_MAX = 64 * 1024;

type Rule = NonNullable<Provider['callRefused']>;

/**
 * How answers of this provider say that a call's credential is refused, beside 401; undefined where it has no other way.
 * `isRenewed`: another credential can be had, so that the call is worth another attempt.
 */
export function readCallRefusal(
  { callRefused }: Pick<Provider, 'callRefused'>,
  isRenewed: boolean,
): CallRefusal | undefined {
  if (callRefused === undefined) return undefined;
  return {
    statuses: new Set([callRefused.status].flat()),
    isRenewed,
    isRefused: (fields, body) => saysRefused(callRefused, fields, body),
  };
}

/** True where an answer refuses the credential: by 401, or in the provider's own way. */
export function isCallRefused(
  { callRefused }: Pick<Provider, 'callRefused'>,
  answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: Buffer;
  },
): boolean {
  if (answer.status === 401) return true;
  if (callRefused === undefined || ![callRefused.status].flat().includes(answer.status)) return false;
  const field = (name: string) => toFilledText(answer.headers[name]);
  return saysRefused(
    callRefused,
    { type: field('content-type'), coding: field('content-encoding') },
    answer.body,
  );
}

function saysRefused(
  rule: Rule,
  { type = '', coding }: { readonly type?: string | undefined; readonly coding?: string | undefined },
  body: Buffer,
): boolean {
  const text = decode(body, coding);
  if (text === undefined) return false;
  const found = isXmlType(type)
    ? elementText(text, rule.path)
    : isJsonType(type) && memberText(text, rule.path);
  return typeof found === 'string' && rule.values.includes(found);
}

function decode(body: Buffer, coding = 'identity'): string | undefined {
  const limit = { maxOutputLength: DECODED_BYTES_MAX };
  try {
    switch (coding.trim().toLowerCase()) {
      case 'identity':
      case '':
        return body.toString('utf8');
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, limit).toString('utf8');
      case 'deflate':
        return inflateSync(body, limit).toString('utf8');
      case 'br':
        return brotliDecompressSync(body, limit).toString('utf8');
      case 'zstd':
        return zstdDecompressSync(body, limit).toString('utf8');
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function memberText(text: string, path: string): string | undefined {
  try {
    return toFilledText(readPath(JSON.parse(text), path));
  } catch {
    return undefined;
  }
}

/** The text of the first element of that name, as in `<Error><Code>InvalidAccessKeyId</Code>`. */
function elementText(text: string, path: string): string | undefined {
  const name = path.split('.').at(-1) ?? '';
  const from = text.indexOf(`<${name}>`);
  const to = text.indexOf(`</${name}>`, from);
  return from < 0 || to < 0 ? undefined : text.slice(from + name.length + 2, to).trim();
}
