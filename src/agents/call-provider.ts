import { readUserMandate } from '../mandates/read-user-mandate.ts';
import type { UserMandate } from '../mandates/user-mandate.ts';
import { createHeldRequest, type HeldAnswer, HeldResponse } from '../platform/held-exchange.ts';
import type { Proxy as ProxyEngine } from '../proxy/proxy.router.ts';
import type { Caller } from './caller.ts';

/** Longer answers are of no use to a model: it asks the provider for fewer records. */
export const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

const MANDATES_KEPT_MAX = 2_000;

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

export type CallProvider = (caller: Caller, call: ProviderCall, signal: AbortSignal) => Promise<HeldAnswer>;

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
  const reading = createReadMandates();
  return (caller, call, signal) =>
    new Promise((resolve) => {
      const request = createHeldRequest({
        method: call.method,
        url: `/projects/${caller.user.projectId}/proxy/${call.provider}${tidy(targetOf(call))}`,
        rawHeaders: headersOf(call, host, caller.traceparent),
        body: call.body?.bytes,
      });
      const response = new HeldResponse(request, ANSWER_BYTES_MAX, (answer) => {
        signal.removeEventListener('abort', leave);
        resolve(answer);
      });
      const leave = (): void => void response.destroy();
      signal.addEventListener('abort', leave, { once: true });
      const mandate = call.isReading ? reading(call.provider) : undefined;
      const { user, token, client } = caller;
      proxy.enter(request, response, { user, token, mandate, client });
    });
}

function targetOf({ path, query = '' }: ProviderCall): string {
  const target = path.startsWith('/') ? path : `/${path}`;
  const rest = query.replace(/^[?&]/, '');
  if (rest === '') return target;
  return `${target}${target.includes('?') ? '&' : '?'}${rest}`;
}

/** Percent-encodes what no URI may hold and models leave as it is: blanks, quotes, letters with accents. */
function tidy(target: string): string {
  return target.replace(/[^\x21-\x7e]+|["<>^`{|}]/g, (text) => encodeURIComponent(text.toWellFormed()));
}

function headersOf(call: ProviderCall, host: string, traceparent: string | undefined): string[] {
  const { body, connectionId } = call;
  const hasLength = body !== undefined || (call.method !== 'GET' && call.method !== 'HEAD');
  return [
    // Stands where the proxy puts the provider's credential; the caller's own is not here.
    ...['Host', host, 'Authorization', 'Bearer door'],
    ...['Accept', 'application/json, */*;q=0.5', 'Accept-Encoding', 'identity'],
    ...['User-Agent', 'integration-gateway'],
    ...(body ? ['Content-Type', body.contentType] : []),
    ...(hasLength ? ['Content-Length', String(body?.bytes.length ?? 0)] : []),
    ...(connectionId === undefined ? [] : ['Gateway-Connection', connectionId]),
    ...(traceparent === undefined ? [] : ['traceparent', traceparent]),
  ];
}

/** The rule that the tool `read` is held to at each provider. */
function createReadMandates(): (provider: string) => UserMandate | undefined {
  const known = new Map<string, UserMandate | undefined>();
  return (named) => {
    const provider = named.split('~', 1)[0] ?? named;
    if (known.size >= MANDATES_KEPT_MAX) known.clear();
    const mandate =
      known.get(provider) ?? readUserMandate([{ type: 'gateway_access', provider, access: 'read' }]);
    known.set(provider, mandate);
    return mandate;
  };
}
