import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { closeServer, listen } from './listen.ts';
import type { ReceivedRequest } from './sigv4-verifier.ts';

export type Answer = {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
};

/** What a service does instead of answering. */
export type Trouble = 'busy' | 'refuses' | 'garbage' | 'huge' | 'silent' | 'cut';

export type KmsRequest = ReceivedRequest & {
  readonly url: URL;
  field(name: string): string;
  json(): Record<string, string>;
  form(): URLSearchParams;
};

/**
 * A server that answers as `answer` does, and in trouble as `trouble.now` says; `trouble.times` ends it after so many
 * requests.
 */
export async function startKmsServer(
  answer: (request: KmsRequest) => Answer,
  tls?: { readonly key: string; readonly cert: string },
) {
  const trouble: { now: Trouble | undefined; times: number } = {
    now: undefined,
    times: Number.POSITIVE_INFINITY,
  };
  const requests: KmsRequest[] = [];
  const handle = (message: IncomingMessage, response: ServerResponse) => {
    read(message)
      .then((request) => {
        requests.push(request);
        const now = trouble.times > 0 ? trouble.now : undefined;
        trouble.times -= 1;
        if (now !== undefined) return misbehave(now, request, response);
        const { status, body = '', headers = {} } = answer(request);
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      })
      .catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(handle) : createSecureServer(tls, handle);
  const port = await listen(server);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    trouble,
    close: () => closeServer(server),
  };
}

function misbehave(trouble: Trouble, request: KmsRequest, response: ServerResponse): void {
  // What was sent comes back, as broken servers in debugging modes do: none of it may reach a log.
  const echo = JSON.stringify({
    error: { code: request.field('authorization') },
    body: request.body.toString(),
  });
  switch (trouble) {
    case 'busy':
      response.writeHead(503).end(echo);
      return;
    case 'refuses':
      response.writeHead(403).end(echo);
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the network</html>');
      return;
    case 'huge':
      response.writeHead(200).end('x'.repeat(1024 * 1024));
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': '500' }).write('{"');
      response.destroy();
      return;
    case 'silent':
  }
}

async function read(message: IncomingMessage): Promise<KmsRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const target = message.url ?? '/';
  return {
    method: message.method ?? '',
    target,
    fields: message.rawHeaders,
    body,
    url: new URL(target, 'http://service'),
    field: (name) => String(message.headers[name] ?? ''),
    json: () => JSON.parse(body.toString()),
    form: () => new URLSearchParams(body.toString()),
  };
}
