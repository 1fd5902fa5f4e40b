import type { ServerResponse } from 'node:http';
import type { RequestFields } from './request-fields.ts';
import { EXPOSED_FIELDS } from './response-headers.ts';

const PREFLIGHT_SECONDS = 600;
const FIELD_NAME_LIST = /^[\w!#$%&'*+.^`|~ \t,-]{0,4000}$/;

/** True for a preflight of the Fetch standard: it has an Origin and says what is to come. */
export function isPreflight(method: string | undefined, fields: RequestFields): boolean {
  return method === 'OPTIONS' && fields.origin !== undefined && fields.requestedMethod !== undefined;
}

/** Answers a preflight of an allowed origin: any method and any field, since the call itself is checked anyway. */
export function answerPreflight(response: ServerResponse, fields: RequestFields, requestId: string): void {
  const requested = fields.requestedHeaders ?? '';
  response.writeHead(204, {
    'Access-Control-Allow-Origin': fields.origin ?? '',
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ...(requested !== '' && FIELD_NAME_LIST.test(requested) && { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'Gateway-Request-Id': requestId,
  });
  response.end();
}

/** CORS fields for the gateway's own refusals, so that a page can read why. */
export function setCorsFields(response: ServerResponse, allowedOrigin: string | undefined): void {
  response.setHeader('Vary', 'Authorization, Origin');
  if (allowedOrigin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', allowedOrigin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_FIELDS);
}
