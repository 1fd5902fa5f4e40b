import { isRecord } from '../lib/is-record.ts';
import type { Outbound } from '../platform/outbound.ts';

const TIMEOUT_MS = 5_000;
const DOCUMENT_BYTES_MAX = 32 * 1024;

/** What counts of a document; others, such as keys and scopes, are for servers that use them. */
const MEMBERS = [
  'client_id',
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
] as const;

/**
 * The `fetch` of the authorization server, which reads client id metadata documents by it and nothing else: by the guarded
 * transport, so that an address that a stranger chose is public, and bounded in time and size. Redirects are answers.
 */
export function createFetchClientDocument({ outbound }: { readonly outbound: Outbound }) {
  return async (url: string | URL): Promise<Response> => {
    const { status, headers, body } = await outbound.request({
      url: String(url),
      headers: { Accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: DOCUMENT_BYTES_MAX,
    });
    // The library refuses every other status, and has no use for the body then.
    if (status !== 200) return new Response(null, { status: 502 });
    const document: unknown = JSON.parse(body.toString('utf8'));
    const kept = isRecord(document) ? pickMembers(document) : document;
    return Response.json(kept, { headers: { 'cache-control': headers['cache-control'] ?? '' } });
  };
}

export function pickMembers(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    MEMBERS.flatMap((name) => (document[name] === undefined ? [] : [[name, document[name]]])),
  );
}
