import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from './listen.ts';

/** A request to the token or revocation endpoint, to be answered as a test wants. */
export type TokenRequest = {
  readonly form: URLSearchParams;
  /** Exchanges the refresh token for new tokens, as this provider does: once. Undefined where it is spent. */
  exchange(): Record<string, unknown> | undefined;
  reply(status: number, body?: unknown, headers?: Record<string, string>): void;
  /** Ends the connection without an answer. */
  drop(): void;
};

export type TokenProvider = Awaited<ReturnType<typeof startTokenProvider>>;

/** Answers as a healthy provider does. */
export function answerWell(request: TokenRequest): void {
  const tokens = request.exchange();
  if (tokens === undefined) request.reply(400, { error: 'invalid_grant' });
  else request.reply(200, tokens);
}

/** A provider whose refresh tokens work exactly once, and whose API takes every access token that it has issued. */
export async function startTokenProvider() {
  const live = new Set<string>();
  const accessTokens = new Set<string>();
  const refreshes: string[] = [];
  const revoked: string[] = [];
  const waiting: (() => void)[] = [];
  let answer: (request: TokenRequest) => void | Promise<void> = answerWell;
  let answerRevocation: (request: TokenRequest) => void | Promise<void> = (request) => request.reply(200);

  function issue(): { access_token: string; refresh_token: string } {
    const [access_token, refresh_token] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    live.add(refresh_token);
    accessTokens.add(access_token);
    return { access_token, refresh_token };
  }

  function exchange(form: URLSearchParams): Record<string, unknown> | undefined {
    const token = form.get('refresh_token') ?? '';
    if (!live.delete(token)) return undefined;
    return { ...issue(), expires_in: 3600, token_type: 'bearer' };
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    if (!/^\/(token|revoke)/.test(path)) return answerCall(request, response);
    const form = new URLSearchParams(await text(request));
    const isRevocation = path.startsWith('/revoke');
    if (isRevocation) revoked.push(form.get('token') ?? '');
    else refreshes.push(form.get('refresh_token') ?? '');
    for (const wake of waiting.splice(0)) wake();
    await (isRevocation ? answerRevocation : answer)({
      form,
      exchange: () => exchange(form),
      reply(status, body, headers = {}) {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      },
      drop: () => response.destroy(),
    });
  });

  function answerCall(request: IncomingMessage, response: ServerResponse): void {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    response.writeHead(accessTokens.has(token) ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ token }));
  }

  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    issue,
    /** Refresh tokens as they came, and tokens that were to be revoked. */
    refreshes,
    revoked,
    /** How the token endpoint answers from now on. */
    answerWith(next: typeof answer): void {
      answer = next;
    },
    answerRevocationsWith(next: typeof answerRevocation): void {
      answerRevocation = next;
    },
    /** Resolves when the condition holds after a request has come. */
    async until(isSo: () => boolean): Promise<void> {
      while (!isSo()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    providerFile: (id: string, more = ''): string => `id: ${id}
name: ${id}
auth: oauth2
authorizationUrl: ${url}/authorize
tokenUrl: ${url}/token
revocationUrl: ${url}/revoke
apiBaseUrl: ${url}
${more}`,
    close: () => closeServer(server),
  };
}
