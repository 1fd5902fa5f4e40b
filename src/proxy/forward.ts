import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { ProxyAgents } from './contract.ts';
import { Attempt } from './exchange.ts';
import { startNodeExchange } from './node-exchange.ts';
import { startPooledExchange } from './pooled-exchange.ts';

/**
 * The one module that knows http-proxy-middleware and, beneath it, httpxy. Everything around the forwarding that they
 * do is decided elsewhere: address, header section, body source, answer, failures and timeouts.
 */

export type Forward = (attempt: Attempt) => void;

/**
 * Makes the forwarder: http-proxy-middleware's proxy server for all providers, with pools of connections per origin in
 * `agents`. The server is called directly: the middleware around it would look for a path filter, a router and path
 * rewrites, none of which is wanted, over four promises a call.
 */
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
 * The proxy server that http-proxy-middleware makes and hands to its plugins. Its default plugins are left out, since
 * they write error texts into half-sent answers and tell host and path; upgrades are off, since they would bypass every
 * check. httpxy's own exchange with the provider is replaced: it joins duplicate fields, loses the order and the case of
 * names, skips its hook for `Expect`, and adds many more listeners to every call.
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
    if (target.options.isBare) startPooledExchange(target, agents.dispatcher);
    else startNodeExchange(target, agents);
    return true;
  });
  return server;
}
