import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, listen } from '../support/listen.ts';

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type HttpFake = {
  readonly url: string;
  readonly requests: (method: string, path: string) => readonly SeenRequest[];
  /** Answers the next request so, or the next one of this path. */
  readonly answerNext: (status: number, body: object, path?: string) => void;
  /** Answers the requests of this method and path so from now on. */
  readonly answerBy: (method: string, path: string, respond: Respond) => void;
  readonly close: () => Promise<void>;
};

type Respond = (request: SeenRequest) => Promise<{ readonly status: number; readonly body: object }>;

/** A provider's API that takes registrations of webhooks, in the ways of Pipedrive, of Google's channels and others. */
export async function startHttpFake(): Promise<HttpFake> {
  const seen: SeenRequest[] = [];
  const responders = new Map<string, Respond>();
  const next: { status: number; body: object; path: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const received = { method, path: url, headers, body };
    seen.push(received);
    const index = next.findIndex(({ path = url }) => path === url);
    const [planned] = index < 0 ? [] : next.splice(index, 1);
    const responded = planned ?? (await responders.get(`${method} ${url}`)?.(received));
    const answer = responded ?? { status: 200, body: bodyFor(url) };
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  });

  function bodyFor(url: string): object {
    if (url === '/token') return { access_token: 'app-token', token_type: 'bearer', expires_in: 3_600 };
    if (url.startsWith('/watch')) return { id: 'w-1', expiration: String(Date.now() + 1_000) };
    const { length } = seen.filter((one) => one.method === 'POST' && one.path === url);
    return { id: `made-${length}`, data: { id: 'hook-1' } };
  }

  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    requests: (method, path) => seen.filter((one) => one.method === method && one.path === path),
    answerNext: (status, body, path) => void next.push({ status, body, path }),
    answerBy: (method, path, respond) => void responders.set(`${method} ${path}`, respond),
    close: () => closeServer(server),
  };
}
