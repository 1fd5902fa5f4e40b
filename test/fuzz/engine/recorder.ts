import { createServer, type Socket } from 'node:net';
import { listen } from '../../support/listen.ts';
import { closed } from '../../support/upstream.ts';
import { type StrictRequest, takeStrictRequest } from './strict-http.ts';

/** A provider that writes down what it gets, as the strictest reader reads it, and says which path it was asked for. */
export type Recorder = {
  readonly port: number;
  readonly url: string;
  /** What came since the last call. */
  takeRequests(): StrictRequest[];
  /** What the strictest reader refuses, since the last call: the gateway must send nothing of that kind. */
  takeFaults(): string[];
  /** What the next requests are answered with, in place of their paths; undefined: the paths again. */
  answerWith(bytes: Buffer | undefined): void;
  close(): Promise<void>;
};

/** `tokenAnswer`: what its token endpoint says. */
export async function startRecorder(tokenAnswer: object = {}): Promise<Recorder> {
  let requests: StrictRequest[] = [];
  let faults: string[] = [];
  let prepared: Buffer | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const reading = takeStrictRequest(pending);
        if (reading.kind === 'incomplete') return;
        if (reading.kind === 'malformed') {
          faults.push(`the provider got what no strict reader takes (${reading.why}): ${excerpt(pending)}`);
          socket.destroy();
          return;
        }
        pending = reading.rest;
        requests.push(reading.request);
        socket.write(prepared ?? echo(reading.request, tokenAnswer));
      }
    });
  });
  const port = await listen(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    takeFaults() {
      const taken = faults;
      faults = [];
      return taken;
    },
    answerWith(bytes) {
      prepared = bytes;
    },
    close: () => closed(server, sockets),
  };
}

const excerpt = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1', 0, 300));

/** Without the query, in which a caller's own token may stand. */
function echo({ method, target }: StrictRequest, tokenAnswer: object): Buffer {
  const path = target.split('?')[0];
  const body = Buffer.from(JSON.stringify(path === '/token' ? tokenAnswer : { path }));
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), method === 'HEAD' ? Buffer.alloc(0) : body]);
}
