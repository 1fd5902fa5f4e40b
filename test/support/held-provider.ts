import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

export type HeldProvider = {
  readonly url: string;
  /** Its catalog file, under the id `held`. */
  readonly providerFile: string;
  /** Resolves when a call of `/held` has arrived; its head is answered, and its body only when `release` is called. */
  readonly arrived: () => Promise<{ release: () => void }>;
  readonly close: () => Promise<void>;
};

/** A provider that answers `/held` when the test says so, and everything else at once. */
export async function startHeldProvider(): Promise<HeldProvider> {
  const waiting: ((held: { release: () => void }) => void)[] = [];
  const held: { release: () => void }[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (!request.url?.startsWith('/held')) {
      response.end('at once');
      return;
    }
    response.write('first half, ');
    const call = { release: () => void response.end('second half') };
    const next = waiting.shift();
    if (next === undefined) held.push(call);
    else next(call);
  };
  const server = createServer(answer);
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    providerFile: plainProviderFile('held', url),
    arrived: () =>
      new Promise((resolve) => {
        const call = held.shift();
        if (call === undefined) waiting.push(resolve);
        else resolve(call);
      }),
    close: () => closeServer(server),
  };
}

/** A catalog file of an OAuth 2.0 provider at `url` whose API begins at its root. */
export function plainProviderFile(id: string, url: string): string {
  return `id: ${id}
name: ${id}
category: crm
auth: oauth2
authorizationUrl: ${url}/authorize
tokenUrl: ${url}/token
revocationUrl: ${url}/revoke
apiBaseUrl: ${url}
scopeSeparator: ' '
pkce: true
tokenEndpointAuth: client_secret_post
defaultScopes:
  - read
setupSteps:
  - Nothing to do.
`;
}
