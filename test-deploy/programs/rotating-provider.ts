import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../../test/support/listen.ts';

/** A provider whose access tokens live for seconds, and whose refresh tokens are good once: it counts those that come again. */
export async function startRotatingProvider({ tokenSeconds }: { tokenSeconds: number }) {
  const spent = new Set<string>();
  const seen = { refreshes: 0, reused: 0 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url !== '/token') {
      response.end('taken');
      return;
    }
    const refreshToken = new URLSearchParams(body).get('refresh_token') ?? '';
    if (spent.has(refreshToken)) seen.reused += 1;
    spent.add(refreshToken);
    seen.refreshes += 1;
    response.setHeader('content-type', 'application/json');
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() };
    response.end(JSON.stringify({ ...tokens, token_type: 'Bearer', expires_in: tokenSeconds }));
  });
  // Else a busy machine has it close connections that a call is just about to take.
  server.keepAliveTimeout = 60_000;
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, seen, close: () => closeServer(server) };
}
