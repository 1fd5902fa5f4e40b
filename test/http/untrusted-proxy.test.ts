import { createServer } from 'node:http';
import express from 'express';
import type { TrustProxy } from '../../src/http/client-address.ts';
import { createUntrustedProxyCheck } from '../../src/http/untrusted-proxy.ts';
import { closeServer, listen } from '../support/listen.ts';

const BEHIND_PROXY = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

async function ask(trustProxy: TrustProxy, requests: readonly Record<string, string>[]) {
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const check = createUntrustedProxyCheck({ trustProxy, now: () => 1_000, log });
  const app = express();
  app.use(check.watch, (_request, response) => response.json({}));
  const server = createServer(app);
  const url = `http://127.0.0.1:${await listen(server)}/`;
  try {
    for (const headers of requests) expect((await fetch(url, { headers })).status).toBe(200);
  } finally {
    await closeServer(server);
  }
  return { warnings, latest: check.latest() };
}

describe('a reverse proxy in front', () => {
  it('that TRUST_PROXY does not name is told once in the log, and kept for the page of the gateway', async () => {
    const { warnings, latest } = await ask(false, [{}, BEHIND_PROXY, { forwarded: 'for=203.0.113.9' }]);
    expect(warnings).toEqual([{ address: '127.0.0.1', fields: ['x-forwarded-for', 'x-forwarded-proto'] }]);
    expect(latest).toEqual({ address: '127.0.0.1', seenAt: new Date(1_000) });
    expect(await ask(['10.0.0.0/8'], [BEHIND_PROXY])).toMatchObject({ warnings: [{ address: '127.0.0.1' }] });
  });

  it.each<[string, TrustProxy]>([
    ['their number', 1],
    ['its address', ['127.0.0.1']],
    ['a name for its range', ['loopback']],
  ])('that it names by %s is none to warn of', async (_how, trustProxy) => {
    expect(await ask(trustProxy, [BEHIND_PROXY])).toEqual({ warnings: [], latest: undefined });
  });

  it('is not taken for one where no field says so', async () => {
    expect(await ask(false, [{}, { via: '1.1 someone' }])).toEqual({ warnings: [], latest: undefined });
  });
});
