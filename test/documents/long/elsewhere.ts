import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { closeServer, listen } from '../../support/listen.ts';

export type Elsewhere = { readonly url: string; close(): Promise<void> };

/** The hosts that pages name beside the gateway: an application that takes events, and an identity provider with its keys. */
export async function startElsewhere(): Promise<Elsewhere> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== '/.well-known/jwks.json') return response.writeHead(204).end();
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: [key] }));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await closeServer(server);
    },
  };
}
