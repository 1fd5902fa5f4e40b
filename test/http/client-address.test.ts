import type { Server } from 'node:http';
import { createServer } from 'node:http';
import express from 'express';
import { createClientAddress, type TrustProxy } from '../../src/http/client-address.ts';
import { closeServer, listen } from '../support/listen.ts';

const FORWARDED = ['203.0.113.9', '203.0.113.9, 198.51.100.2', 'garbage, 198.51.100.2', '2001:db8::7', ''];

describe('the address of a caller', () => {
  it.each<[string, TrustProxy]>([
    ['nobody', false],
    ['one proxy', 1],
    ['two proxies', 2],
    ['loopback', ['loopback']],
    ['an address range', ['127.0.0.0/8', '198.51.100.0/24']],
    ['another range', ['10.0.0.0/8']],
  ])('is the same before Express as in it, where %s is trusted', async (_what, trustProxy) => {
    const addressOf = createClientAddress(trustProxy);
    const app = express();
    app.set('trust proxy', trustProxy);
    app.use((request, response) => response.json({ express: request.ip, ours: addressOf(request) }));
    const server: Server = createServer(app);
    const url = `http://127.0.0.1:${await listen(server)}/`;
    try {
      for (const forwarded of FORWARDED) {
        const headers = { ...(forwarded !== '' && { 'x-forwarded-for': forwarded }) };
        const seen = await (await fetch(url, { headers })).json();
        expect([forwarded, seen.ours]).toEqual([forwarded, seen.express]);
      }
    } finally {
      await closeServer(server);
    }
  });
});
