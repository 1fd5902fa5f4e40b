import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { compileTrust, type TrustProxy } from './client-address.ts';

/** What a reverse proxy adds to the requests that it passes on. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded'];
const ADDRESS_CHARACTERS_MAX = 64;

/** The latest sender of such fields that TRUST_PROXY does not name. */
export type UntrustedProxy = { readonly address: string; readonly seenAt: Date };

/**
 * Notices a reverse proxy that TRUST_PROXY does not name, and warns once: behind it all callers share one rate limit,
 * and the audit log has its address for each of them. Strangers can send such fields too, so that nothing but a word
 * to the operator follows.
 */
export function createUntrustedProxyCheck(deps: {
  readonly trustProxy: TrustProxy;
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}) {
  const isTrusted = compileTrust(deps.trustProxy);
  let latest: UntrustedProxy | undefined;

  function note(address: string, fields: readonly string[]): void {
    const isFirst = latest === undefined;
    latest = { address, seenAt: new Date(deps.now()) };
    if (!isFirst) return;
    deps.log.warn(
      { address, fields },
      'requests come through a reverse proxy that TRUST_PROXY does not name: its callers share one rate limit, and the audit log has its address. Set TRUST_PROXY to the address of the proxy, or to the number of proxies in front',
    );
  }

  function look({ headers, socket }: IncomingMessage): void {
    const fields = FORWARDED.filter((name) => headers[name] !== undefined);
    const address = fields.length > 0 ? socket.remoteAddress?.slice(0, ADDRESS_CHARACTERS_MAX) : undefined;
    if (address !== undefined && !isTrusted(address, 0)) note(address, fields);
  }

  const watch: RequestHandler = (request, _response, next) => {
    look(request);
    next();
  };

  return { look, watch, latest: (): UntrustedProxy | undefined => latest };
}
