import { createServer } from 'node:http';
import { html } from '../../src/http/html.ts';
import { closeServer, listen } from './listen.ts';

/**
 * The page of an application that signs a person in for an agent: it is always `userId` who is signed in here, and the page
 * posts the token back at once. On another site than the gateway, as applications are.
 */
export async function startApplicationPage(signToken: (nonce: string) => string) {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const state = searchParams.get('state') ?? '';
    const page = html`<!doctype html><title>Application</title>
<form method="post" action="${searchParams.get('return_to') ?? ''}">
<input type="hidden" name="state" value="${state}">
<input type="hidden" name="token" value="${signToken(state)}">
<button>Continue</button>
</form>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page.toString());
  });
  const url = `http://localhost:${await listen(server)}/assistants`;
  return { url, close: () => closeServer(server) };
}

/** Where a program on the person's computer waits for its code (RFC 8252 section 7.3). */
export async function startLoopback() {
  const arrived = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    response.end('You can close this window.');
    if (url.pathname === '/callback') arrived.resolve(url);
  });
  const port = await listen(server);
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    callback: arrived.promise,
    close: () => closeServer(server),
  };
}
