import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

export type Received = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
};

/** How a receiver answers; it may leave the request open. */
export type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export type Receiver = {
  readonly url: string;
  /** What came, in its order. */
  readonly received: Received[];
  answer: Answer;
  /** The most requests that were open at the same time. */
  openMax(): number;
  close(): Promise<void>;
};

export const accept: Answer = (response) => {
  response.writeHead(200).end('ok');
};

/** Answers with a status, and fields. */
export const reply =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end();
  };

/** A receiver of events on a free port. */
export async function startReceiver(answer: Answer = accept): Promise<Receiver> {
  let open = 0;
  let openMax = 0;
  const server = createServer((request, response) => {
    open += 1;
    openMax = Math.max(openMax, open);
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        path: request.url ?? '',
      };
      receiver.received.push(received);
      receiver.answer(response, received, request);
    });
  });
  const port = await listen(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    received: [],
    answer,
    openMax: () => openMax,
    close: () => closeServer(server),
  };
  return receiver;
}
