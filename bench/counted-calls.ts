import { connect } from 'node:net';
import { parseArgs } from 'node:util';

/**
 * A fixed number of calls over kept connections, one after the other on each, by hardly more than sockets: where other
 * work disturbs the machine, the processor's time of so many calls says more than how many fit into a second. Takes the
 * header fields as JSON in HEADERS, and the body of POSTs in BODY. Prints `{ ms, p50Us, p99Us, statuses }`.
 */
const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    calls: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '16' },
    /** Bytes of a body: POSTs in the place of GETs. */
    post: { type: 'string' },
  },
});
const url = new URL(options.url);
const fields: Record<string, string> = JSON.parse(process.env.HEADERS ?? '{}');
const body = process.env.BODY ?? (options.post && JSON.stringify('x'.repeat(Number(options.post) - 2)));
const request = Buffer.from(describeRequest());
const total = Number(options.calls);
const latenciesUs: number[] = [];
const statuses: Record<string, number> = {};
let begun = 0;
const startedAt = performance.now();

const connections = Math.min(total, Number(options.connections));
await Promise.all(Array.from({ length: connections }, callOnOneConnection));
latenciesUs.sort((left, right) => left - right);
const at = (share: number) => Math.round(latenciesUs[Math.floor(latenciesUs.length * share)] ?? 0);
const ms = performance.now() - startedAt;
process.stdout.write(`${JSON.stringify({ ms, p50Us: at(0.5), p99Us: at(0.99), statuses })}\n`);

function describeRequest(): string {
  const sent = {
    Host: url.host,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...fields,
  };
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${url.pathname}${url.search} HTTP/1.1`,
    ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

function callOnOneConnection(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    let head = '';
    /** Of the answer's body; undefined while its head is awaited. */
    let remaining: number | undefined;
    let sentAt = 0;

    const send = (): void => {
      if (begun === total) {
        socket.end();
        resolve();
        return;
      }
      begun += 1;
      sentAt = performance.now();
      socket.write(request);
    };
    const finish = (): void => {
      latenciesUs.push((performance.now() - sentAt) * 1000);
      head = '';
      remaining = undefined;
      send();
    };
    socket.on('data', (chunk) => {
      if (remaining === undefined) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        remaining = readLength(head.slice(0, end)) - (head.length - end - 4);
      } else remaining -= chunk.length;
      if (remaining === 0) finish();
    });
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
  });
}

function readLength(head: string): number {
  const status = head.slice(9, 12);
  statuses[status] = (statuses[status] ?? 0) + 1;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return Number(length);
}
