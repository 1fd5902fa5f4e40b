import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { closeServer, listen } from '../support/listen.ts';

/** A request to the token endpoint of a fault. */
export type TokenCall = { readonly region: string; readonly form: URLSearchParams };
export type TokenReply = {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
};

/** Answers to made-up codes, and what else a provider with this fault does. */
export type Conduct = {
  /** `undefined`: no answer at all. */
  token(call: TokenCall): TokenReply | undefined;
  /** The error that the authorization endpoint sends the browser back with; without it, a code. */
  readonly authorizationError?: Readonly<Record<string, string>>;
  /** The page that the authorization endpoint shows in the place of all that. */
  authorizationPage?(clientId: string): { readonly status: number; readonly text: string };
};

const INVALID_GRANT: TokenReply = { status: 400, body: { error: 'invalid_grant' } };
let issued = 0;

/** A provider in good order: it refuses made-up codes and takes any code and refresh token that looks like one of its own. */
export function answerWell({ form }: TokenCall, more: Record<string, unknown> = {}): TokenReply {
  const proof = form.get('code') ?? form.get('refresh_token') ?? '';
  if (!proof.startsWith('good')) return INVALID_GRANT;
  issued += 1;
  const tokens = { access_token: `access-${issued}`, refresh_token: `good-refresh-${issued}` };
  return { body: { ...tokens, token_type: 'Bearer', expires_in: 3600, scope: 'read write', ...more } };
}

/** One server with a provider for each conduct, under `/<name>/`. Requests without an answer are kept open. */
export async function startFaultyProviders(conducts: Readonly<Record<string, Conduct>>) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://any');
    const [, name = '', region = '', endpoint = ''] = url.pathname.split('/');
    const conduct = conducts[name];
    if (conduct === undefined) return void response.writeHead(404).end();
    const page =
      endpoint === 'authorize' && conduct.authorizationPage?.(url.searchParams.get('client_id') ?? '');
    if (page) return void response.writeHead(page.status, { 'content-type': 'text/html' }).end(page.text);
    if (endpoint === 'authorize') return sendBack(response, url.searchParams, conduct);
    const reply = conduct.token({ region, form: new URLSearchParams(await text(request)) });
    if (reply === undefined) return;
    const isPage = typeof reply.body === 'string';
    const type = isPage ? 'text/html' : 'application/json';
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
    response.end(isPage ? reply.body : JSON.stringify(reply.body));
  };
  const listener: RequestListener = (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
  const server = createServer(listener);
  const url = `http://127.0.0.1:${await listen(server)}`;
  const tls = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, listener);
  const tlsUrl = `https://localhost:${await listen(tls)}`;
  const gone = createServer(listener);
  const goneUrl = `http://127.0.0.1:${await listen(gone)}`;
  await closeServer(gone);
  return {
    url,
    /** With a certificate that nobody vouches for. */
    tlsUrl,
    /** At which nothing listens. */
    goneUrl,
    close: async () => {
      await closeServer(server);
      await closeServer(tls);
    },
  };
}

function sendBack(response: ServerResponse, request: URLSearchParams, { authorizationError }: Conduct): void {
  const target = new URL(request.get('redirect_uri') ?? '');
  const parameters = { ...(authorizationError ?? { code: 'good-code' }), state: request.get('state') ?? '' };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  response.writeHead(302, { location: target.href }).end();
}

/** The catalog file of a faulty provider at an origin. */
export function faultyProviderFile(
  id: string,
  origin: string,
  { segment = 'all', more = '' }: { segment?: string; more?: string } = {},
): string {
  return `id: ${id}
name: Provider ${id}
auth: oauth2
authorizationUrl: ${origin}/${id}/${segment}/authorize
tokenUrl: ${origin}/${id}/${segment}/token
tokenEndpointAuth: client_secret_post
apiBaseUrl: ${origin}/${id}/api
pkce: false
${more}`;
}
