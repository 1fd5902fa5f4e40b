import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { createHttpSender } from '../../src/events/sending/http-sender.ts';
import { createLookup } from '../../src/platform/address-guard.ts';
import { createAgents } from '../../src/platform/agents.ts';
import { createDispatcher } from '../../src/platform/dispatcher.ts';
import { createHandshakeFailures } from '../../src/platform/handshake-failures.ts';
import { createMailer } from '../../src/platform/mailer.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createResolver } from '../../src/platform/resolver.ts';

/**
 * Takes every way out of the gateway twice to an address to which the kernel refuses a connection at once, by a name
 * that the resolver knows without asking. An error that comes before its listener ends this process. Prints how each
 * way ended.
 */

/** TCP never connects to the broadcast address: `connect` fails with ENETUNREACH before it returns, for every user. */
const ADDRESS = '255.255.255.255';
const NAME = 'unreachable.test';

const folder = mkdtempSync(join(tmpdir(), 'gateway-unreachable-'));
const hostsFile = join(folder, 'hosts');
writeFileSync(hostsFile, `${ADDRESS} ${NAME}\n`);
const resolveName = createResolver({ hostsFile });
const allowPrivateNetworks = true;
const agents = createAgents({ allowPrivateNetworks, maxSockets: 1, resolveName });
const outbound = createOutbound({ allowPrivateNetworks, resolveName });
const dispatcher = createDispatcher({
  allowPrivateNetworks,
  maxSockets: 1,
  lookup: createLookup(resolveName, allowPrivateNetworks),
  failures: createHandshakeFailures(Date.now),
  idleTimeoutMs: 1_000,
});
const mailer = createMailer({
  url: `smtp://${ADDRESS}`,
  from: 'a@b.test',
  log: { warn: () => undefined },
  pausesMs: [],
});
const sender = createHttpSender({ dispatcher, now: Date.now });
const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];
const message = { id: 'msg_1', contentType: 'application/json', body: '{}', key: 'k', secrets };

const ask = (open: typeof http.request, url: string, agent: http.Agent) =>
  new Promise<string>((resolve) => {
    const asked = open(url, { agent, method: 'POST' });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    asked.end('body');
  });
const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  'agent of calls': () => ask(http.request, `http://${NAME}/`, agents.http),
  'agent of calls over TLS': () => ask(https.request, `https://${NAME}/`, agents.https),
  'pool of calls': () => request(`http://${NAME}/`, agents).catch(codeOf),
  'pool of calls over TLS': () => request(`https://${NAME}/`, agents).catch(codeOf),
  'single exchange': () => outbound.request({ url: `http://${NAME}/` }).catch(codeOf),
  'single exchange over TLS': () => outbound.request({ url: `https://${NAME}/` }).catch(codeOf),
  delivery: async () => {
    const sent = await sender.send(`https://${NAME}/`, message, new AbortController().signal);
    return sent?.code;
  },
  mail: () => mailer.send('invitation', { to: 'c@d.test', subject: 's', text: 't' }, 'party'),
  Postgres: () => {
    const client = new pg.Client({ connectionString: `postgres://u:p@${ADDRESS}/d` });
    client.on('error', () => undefined);
    return client.connect().then(() => 'connected', codeOf);
  },
};

for (const [way, take] of Object.entries(WAYS)) {
  const ends = [await take(), await take()];
  process.stdout.write(`${way}: ${ends.join(' ')}\n`);
}
rmSync(folder, { recursive: true });
process.exit(0);
