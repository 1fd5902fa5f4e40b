import http from 'node:http';
import { parseArgs } from 'node:util';

/**
 * Calls at a steady rate over 64 kept connections, whether or not earlier ones have been answered: so a server that
 * stalls shows in the latency of every call that was due meanwhile. Takes the header fields as JSON in HEADERS; with
 * `--forge`, each call's user token gets a signature of its own that is wrong. Prints `{ p50Us, p99Us, statuses }`.
 */
const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3' },
    forge: { type: 'boolean', default: false },
  },
});
const headers: Record<string, string> = JSON.parse(process.env.HEADERS ?? '{}');
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const total = Number(options.rate) * Number(options.seconds);
const everyMs = 1000 / Number(options.rate);
const latenciesUs: number[] = [];
const statuses: Record<string, number> = {};
const startedAt = performance.now();
let sent = 0;

const timer = setInterval(() => {
  const due = Math.min(total, Math.floor((performance.now() - startedAt) / everyMs) + 1);
  for (; sent < due; sent += 1) call(startedAt + sent * everyMs);
  if (sent === total) clearInterval(timer);
}, 1);

function call(dueAt: number): void {
  const request = http.get(options.url, { agent, headers: fields() }, (answer) => {
    answer.resume();
    answer.once('end', () => done(String(answer.statusCode), dueAt));
  });
  request.once('error', () => done('error', dueAt));
}

function fields(): Record<string, string> {
  if (!options.forge) return headers;
  const token = headers.Authorization ?? '';
  // An even digest of the right length: it is the signature check that has to find it out.
  const forged = Buffer.from(String(Math.random()).padEnd(64, '.').slice(0, 64)).toString('base64url');
  return { ...headers, Authorization: `${token.slice(0, token.lastIndexOf('.') + 1)}${forged}` };
}

function done(status: string, dueAt: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
  latenciesUs.push((performance.now() - dueAt) * 1000);
  if (latenciesUs.length < total) return;
  latenciesUs.sort((left, right) => left - right);
  const at = (share: number) => Math.round(latenciesUs[Math.floor(latenciesUs.length * share)] ?? 0);
  process.stdout.write(`${JSON.stringify({ p50Us: at(0.5), p99Us: at(0.99), statuses })}\n`);
  agent.destroy();
}
