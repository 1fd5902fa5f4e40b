import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../support/listen.ts';

export const PROVIDER = 'test-crm';

export type TestProvider = {
  readonly url: string;
  /** The account that the next person agrees for. */
  account: string;
  /** Its page says `Cross-Origin-Opener-Policy: same-origin`, which cuts a popup off from the page that opened it. */
  isIsolated: boolean;
  /** Fulfilled when a caller of `/api/stream` has gone away. */
  readonly callerLeft: Promise<void>;
  readonly close: () => Promise<void>;
};

/** A provider with a page on which one agrees or denies, a token endpoint, and an API that echoes and streams. */
export async function startTestProvider(): Promise<TestProvider> {
  const left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const provider: TestProvider = {
    url: `http://127.0.0.1:${await listen(server)}`,
    account: 'north',
    isIsolated: false,
    callerLeft: left.promise,
    close: () => closeServer(server),
  };
  let issued = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', provider.url);
    if (pathname === '/authorize') return sendConsent(response, searchParams);
    if (pathname === '/token') {
      const account = new URLSearchParams(await text(request)).get('code') ?? '';
      issued += 1;
      return sendJson(response, {
        access_token: `access-${issued}`,
        refresh_token: `refresh-${issued}`,
        token_type: 'Bearer',
        expires_in: 3600,
        account_id: account,
        account_name: `${account}.test`,
      });
    }
    if (pathname === '/api/stream') {
      response.on('close', () => left.resolve());
      response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
      return;
    }
    const { method, headers, url } = request;
    sendJson(response, { method, url, language: headers['accept-language'], body: await text(request) });
  }

  function sendConsent(response: ServerResponse, parameters: URLSearchParams): void {
    const back = (outcome: Record<string, string>) => {
      const url = new URL(parameters.get('redirect_uri') ?? '');
      url.search = String(new URLSearchParams({ ...outcome, state: parameters.get('state') ?? '' }));
      return url.href.replaceAll('&', '&amp;');
    };
    response.writeHead(200, {
      'content-type': 'text/html',
      ...(provider.isIsolated && { 'cross-origin-opener-policy': 'same-origin' }),
    });
    response.end(`<!doctype html><title>Provider</title>
<a id="allow" href="${back({ code: provider.account })}">Allow</a>
<a id="deny" href="${back({ error: 'access_denied' })}">Deny</a>`);
  }

  return provider;
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function providerFile(url: string): string {
  return `id: ${PROVIDER}
name: Test CRM
category: crm
auth: oauth2
authorizationUrl: ${url}/authorize
tokenUrl: ${url}/token
tokenEndpointAuth: client_secret_post
apiBaseUrl: ${url}/api
account:
  id: { from: token-response, path: account_id }
  name: { from: token-response, path: account_name }
`;
}
