import { removeSharedCaching } from './cache-control.ts';
import { type FieldList, nominatedFields } from './field-list.ts';
import {
  opensDialog,
  RESPONSE_FIELD,
  removeResourceMetadata,
  responseFieldRule,
} from './response-field-rules.ts';

type ResponseFields = {
  readonly fields: FieldList;
  /** Announced body length in bytes; undefined when there is none, or it cannot be read. */
  readonly contentLength: number | undefined;
};

const NOMINATES_NOTHING = /^(?:keep-alive|close)$/i;

/** What the gateway itself puts into an answer, and what it needs to know of the call for that. */
export type ResponseContext = {
  readonly requestId: string;
  /** What the operator's provider file lets pass besides, in lower case. */
  readonly responseHeaders?: ReadonlySet<string> | undefined;
  /** The caller's web origin, if the project allows it. */
  readonly allowedOrigin?: string | undefined;
  readonly isFromBrowser?: boolean;
  /** The value of `Gateway-Timing`, where the caller asked for it. */
  readonly timing?: string | undefined;
};

/**
 * The header section for the caller: the provider's fields that may pass, plus the gateway's own. No provider's page can
 * run script on the gateway's origin, and no shared cache may keep the answer (RFC 9111 section 5.2.2.7).
 */
export function buildResponseFields(rawHeaders: readonly string[], context: ResponseContext): ResponseFields {
  const fields: FieldList = [];
  let contentLength: number | undefined;
  let isPrivate = false;
  let connection: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const rule = responseFieldRule(name);
    if (rule === RESPONSE_FIELD.forward) fields.push(name, value);
    else if (rule === RESPONSE_FIELD.contentLength) {
      contentLength = Number(value);
      fields.push(name, value);
    } else if (rule === RESPONSE_FIELD.connection) {
      connection = connection === undefined ? value : `${connection},${value}`;
    } else if (rule === RESPONSE_FIELD.cacheControl) {
      const reading = removeSharedCaching(value);
      isPrivate ||= reading.isPrivate;
      if (reading.kept !== '') fields.push(name, reading.kept);
    } else if (mayPass(rule, name, value, context)) {
      fields.push(name, rule === RESPONSE_FIELD.challenge ? removeResourceMetadata(value) : value);
    }
  }
  const kept =
    connection === undefined || NOMINATES_NOTHING.test(connection)
      ? fields
      : removeFields(fields, connection);
  if (!isPrivate) kept.push('Cache-Control', 'private');
  pushOwnFields(kept, context);
  return { fields: kept, contentLength };
}

function mayPass(rule: number, name: string, value: string, context: ResponseContext): boolean {
  if (rule === RESPONSE_FIELD.challenge) return context.isFromBrowser !== true || !opensDialog(value);
  return rule === RESPONSE_FIELD.suspect && context.responseHeaders?.has(name.toLowerCase()) === true;
}

/** The fields less those that the provider's `Connection` names. */
function removeFields(fields: FieldList, connection: string): FieldList {
  const nominated = nominatedFields(connection);
  return fields.filter((_text, index) => !nominated.has((fields[index & ~1] ?? '').toLowerCase()));
}

function pushOwnFields(fields: FieldList, { requestId, allowedOrigin, timing }: ResponseContext): void {
  fields.push(
    'Vary',
    'Authorization, Origin',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    "sandbox; default-src 'none'",
    'Gateway-Request-Id',
    requestId,
  );
  if (timing !== undefined) fields.push('Gateway-Timing', timing);
  if (allowedOrigin === undefined) return;
  fields.push('Access-Control-Allow-Origin', allowedOrigin, 'Access-Control-Expose-Headers', EXPOSED_FIELDS);
}

/** `*` covers calls without credentials mode, which is how bearer tokens travel; the names serve everything else. */
export const EXPOSED_FIELDS =
  '*, Gateway-Error, Gateway-Request-Id, Gateway-Timing, Retry-After, WWW-Authenticate';

const UNSENDABLE_REASON = /[^\t\x20-\x7e\x80-\xff]/;

/** False for a status line that cannot be relayed: `writeHead` would throw on it, and 1xx is no final answer. */
export function isRelayable(statusCode: number | undefined, reason: string | undefined): boolean {
  if (statusCode === undefined || statusCode < 200 || statusCode > 999) return false;
  return reason === undefined || !UNSENDABLE_REASON.test(reason);
}
