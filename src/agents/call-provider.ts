import { createReadingMandate } from '../mandates/reading.ts';
import type { HeldAnswer } from '../platform/held-exchange.ts';
import { callHeld, doorFields, type EndSignal } from '../proxy/call-held.ts';
import type { Proxy as ProxyEngine } from '../proxy/proxy.router.ts';
import type { Caller } from './caller.ts';

/** Longer answers are of no use to a model: it asks the provider for fewer records. */
export const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

export type ProviderCall = {
  /** As in the proxy's addresses, with the name of a further host behind `~`. */
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  readonly body: { readonly bytes: Buffer; readonly contentType: string } | undefined;
  readonly connectionId: string | undefined;
  /** Whatever the token may do: nothing that changes anything. */
  readonly isReading: boolean;
};

export type CallProvider = (caller: Caller, call: ProviderCall, signal: EndSignal) => Promise<HeldAnswer>;

/**
 * Runs a call through the proxy as an HTTP request would go, from admission to the record of the call, without a
 * connection of its own. The caller's token stays here: the proxy learns who calls.
 */
export function createCallProvider({
  proxy,
  host,
}: {
  readonly proxy: Pick<ProxyEngine, 'enter'>;
  readonly host: string;
}): CallProvider {
  const reading = createReadingMandate('the tool `read` changes nothing, `write` may');
  return ({ user, token, client, traceparent }, call, signal) =>
    callHeld(
      proxy,
      {
        method: call.method,
        url: `/projects/${user.projectId}/proxy/${call.provider}${tidy(targetOf(call))}`,
        rawHeaders: headersOf(call, host, traceparent),
        body: call.body?.bytes,
      },
      {
        door: { user, token, mandate: call.isReading ? reading : undefined, client },
        bytesMax: ANSWER_BYTES_MAX,
        signal,
      },
    );
}

function targetOf({ path, query = '' }: ProviderCall): string {
  const target = path.startsWith('/') ? path : `/${path}`;
  const rest = query.replace(/^[?&]/, '');
  if (rest === '') return target;
  return `${target}${target.includes('?') ? '&' : '?'}${rest}`;
}

/** Percent-encodes what no URI may hold and models leave as it is: blanks, quotes, letters with accents. */
function tidy(target: string): string {
  if (!UNTIDY.test(target)) return target;
  return target.replace(UNTIDY_PARTS, (text) => encodeURIComponent(text.toWellFormed()));
}

const UNTIDY = /[^\x21-\x7e]|["<>^`{|}]/;
const UNTIDY_PARTS = /[^\x21-\x7e]+|["<>^`{|}]/g;

function headersOf(call: ProviderCall, host: string, traceparent: string | undefined): string[] {
  const { body, connectionId } = call;
  const fields = doorFields(host);
  fields.push('Accept', 'application/json, */*;q=0.5');
  if (body !== undefined) fields.push('Content-Type', body.contentType);
  if (body !== undefined || (call.method !== 'GET' && call.method !== 'HEAD'))
    fields.push('Content-Length', String(body?.bytes.length ?? 0));
  if (connectionId !== undefined) fields.push('Gateway-Connection', connectionId);
  if (traceparent !== undefined) fields.push('traceparent', traceparent);
  return fields;
}
