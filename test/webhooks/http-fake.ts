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
  /** Answers the next request so. */
  readonly answerNext: (status: number, body: object) => void;
  readonly close: () => Promise<void>;
};

/** A provider's API that takes registrations of webhooks, in the ways of Pipedrive and of Google's channels. */
export async function startHttpFake(): Promise<HttpFake> {
  const seen: SeenRequest[] = [];
  const next: { status: number; body: object }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    seen.push({ method, path: url, headers, body });
    const answer = next.shift() ?? {
      status: 200,
      body: url.startsWith('/watch')
        ? { id: 'w-1', expiration: String(Date.now() + 1_000) }
        : { data: { id: 'hook-1' } },
    };
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    requests: (method, path) => seen.filter((one) => one.method === method && one.path === path),
    answerNext: (status, body) => void next.push({ status, body }),
    close: () => closeServer(server),
  };
}
