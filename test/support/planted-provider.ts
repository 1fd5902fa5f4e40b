import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { plainProviderFile } from './held-provider.ts';
import { closeServer, listen } from './listen.ts';

export type PlantedProvider = {
  readonly url: string;
  /** Its catalog file, under the id `planted`. */
  readonly providerFile: string;
  /** The forms of all token and revocation requests, oldest first. */
  readonly tokenRequests: URLSearchParams[];
  /** `Authorization` of all API calls, oldest first. */
  readonly credentials: string[];
  /** All header fields of all API calls, oldest first. */
  readonly headers: string[];
  /** The token endpoint's answer from now on; a refusal repeats what it was sent, as careless servers do. */
  answerWith: { accessToken: string; refreshToken: string; sessionKey?: string } | 'refusal';
  readonly close: () => Promise<void>;
};

/** Of a provider file: webhooks with a secret that the operator enters. */
export const WEBHOOKS_WITH_SECRET = `webhooks:
  supported: true
  scope: application
  signature: { scheme: hmac, at: 'header:X-Signature', signed: ['{body}'] }
  secret: { from: operator }
  payload: { eventType: '{type}' }
`;

/** A provider whose tokens the test has chosen, and which remembers what the gateway sent it. */
export async function startPlantedProvider(): Promise<PlantedProvider> {
  const server = createServer((request, response) => void answer(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const provider: PlantedProvider = {
    url,
    providerFile: `${plainProviderFile('planted', url)}${WEBHOOKS_WITH_SECRET}`,
    tokenRequests: [],
    credentials: [],
    headers: [],
    answerWith: 'refusal',
    close: () => closeServer(server),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.method === 'POST' && /^\/(token|revoke)$/.test(request.url ?? '')) {
      provider.tokenRequests.push(new URLSearchParams(body));
      const { answerWith } = provider;
      if (answerWith === 'refusal') {
        const refusal = { error: 'invalid_grant', error_description: `refused: ${body}` };
        return sendJson(response, 400, refusal);
      }
      const { accessToken: access_token, refreshToken: refresh_token, sessionKey: session_key } = answerWith;
      const tokens = { access_token, refresh_token, session_key };
      return sendJson(response, 200, { ...tokens, token_type: 'Bearer', expires_in: 3600 });
    }
    provider.credentials.push(request.headers.authorization ?? '');
    provider.headers.push(request.rawHeaders.join('\n'));
    const status = request.url?.startsWith('/unauthorized') ? 401 : 200;
    return sendJson(response, status, { status });
  }

  return provider;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
