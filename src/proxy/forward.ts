import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { ProxyAgents } from './contract.ts';
import { Attempt } from './exchange.ts';
import { startNodeExchange } from './node-exchange.ts';
import { startPooledExchange } from './pooled-exchange.ts';

/**
 * The one module that knows http-proxy-middleware and, beneath it, httpxy.
 *
 * Of the package's own jobs none is used, and this is why:
 * - Matching and rewriting of paths work on what `URL` and Express make of a target. The proxy's promise is that the
 *   provider gets the target byte for byte, so it is taken apart by `target.ts` and nothing else. The middleware would
 *   also make four promises a call, where a warm call makes none.
 * - Its error hook comes after its own answer has begun, distinguishes a time-out from a refused connection by neither code nor
 *   class, and its default plugin writes host and path into the answer. `failures.ts` decides that.
 * - httpxy's exchange with the provider joins duplicate fields, loses order and case of names, skips its hook for
 *   `Expect`, and adds many more listeners to every call. `node-exchange.ts` and `pooled-exchange.ts` do it instead.
 *   What is left is the frame: the proxy server that the middleware makes, with the passes that httpxy runs before an
 *   exchange, and one place from which a call's attempts set out. Replacing the package means changing this file alone.
 */

export type Forward = (attempt: Attempt) => void;

/** Makes the forwarder for all providers, with pools of connections per origin in `agents`. */
export function createForward(agents: ProxyAgents): Forward {
  const server = createProxyServer(agents);
  return (attempt) => {
    const { request, response, events } = attempt.options;
    server
      .web(request, response, { target: attempt })
      .catch((error: unknown) => events.onFailure(attempt, error));
  };
}

type ProxyServer = Parameters<Plugin>[0];

/**
 * The proxy server that http-proxy-middleware makes and hands to its plugins. Its default plugins are left out; upgrades
 * are off, since they would bypass every check.
 */
function createProxyServer(agents: ProxyAgents): ProxyServer {
  const made: ProxyServer[] = [];
  createProxyMiddleware({
    target: 'http://nowhere.invalid',
    ws: false,
    ejectPlugins: true,
    plugins: [(server) => void made.push(server)],
  });
  const [server] = made;
  if (server === undefined)
    throw new TypeError('http-proxy-middleware has shown its plugins no proxy server');
  // httpxy's passes have no names, and the last of them is the one that would send the request.
  server.before('web', '', (_request, _response, { target }) => {
    if (!(target instanceof Attempt)) throw new TypeError('forwarding without an attempt');
    const pools = poolsFor(target, agents);
    if (target.options.pooledBody !== undefined) startPooledExchange(target, pools.dispatcher);
    else startNodeExchange(target, pools);
    return true;
  });
  return server;
}

/** Throws `ERR_CLIENT_CERTIFICATE_UNUSABLE`, which fails the attempt. */
function poolsFor({ options: { clientCertificate } }: Attempt, agents: ProxyAgents): ProxyAgents {
  if (clientCertificate === undefined) return agents;
  if (agents.withCertificate === undefined) throw new TypeError('agents without client certificates');
  return agents.withCertificate(clientCertificate);
}
