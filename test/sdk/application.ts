import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from '../support/listen.ts';

export type Application = {
  readonly url: string;
  /** Users that its token endpoint was asked for, in order. */
  readonly tokenRequests: string[];
  /** Signs what the token endpoint answers. */
  tokenOf: (userId: string) => string;
  /** What its pages run; by default they set `window.gateway`. */
  module: string | undefined;
  readonly close: () => Promise<void>;
};

type Addresses = { readonly url: string; readonly proxyUrl: string };

/**
 * An application whose pages have a strict Content-Security-Policy. Who is signed in says the cookie `user`. Any path is
 * a page; below `/isolated` they ask for Cross-Origin-Opener-Policy, and `?return` names a return URL.
 */
export async function startApplication(): Promise<
  Application & { attach: (gateway: Addresses, projectId: string) => void }
> {
  let gatewayUrl = '';
  let proxyUrl = '';
  let projectId = '';
  const server = createServer((request, response) => answer(request, response));
  const application: Application = {
    url: `http://127.0.0.1:${await listen(server)}`,
    tokenRequests: [],
    tokenOf: () => '',
    module: undefined,
    close: () => closeServer(server),
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '', application.url);
    const user = /user=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    if (pathname === '/token') {
      application.tokenRequests.push(user);
      response.end(application.tokenOf(user));
    } else if (pathname === '/app.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(application.module ?? moduleText());
    } else {
      const isIsolated = pathname.startsWith('/isolated');
      response.writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': `default-src 'none'; script-src 'self' ${gatewayUrl}; connect-src 'self' ${gatewayUrl} ${proxyUrl}; require-trusted-types-for 'script'`,
        ...(isIsolated && { 'cross-origin-opener-policy': 'same-origin' }),
      });
      response.end(
        '<!doctype html><html lang="en"><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>',
      );
    }
  }

  const moduleText = () => `import * as sdk from '${gatewayUrl}/sdk/connect.js';
const back = new URLSearchParams(location.search).get('return');
window.sdk = sdk;
window.events = [];
window.gateway = sdk.createGateway({
  url: '${gatewayUrl}',
  projectId: '${projectId}',
  token: () => fetch('/token').then((response) => response.text()),
  ...(back !== null && { returnUrl: location.origin + back }),
});
gateway.subscribe((event) => events.push(event));`;

  return Object.assign(application, {
    attach(gateway: Addresses, id: string) {
      gatewayUrl = gateway.url;
      proxyUrl = gateway.proxyUrl;
      projectId = id;
    },
  });
}
