import express from 'express';
import request from 'supertest';
import { createPublicHostCheck } from '../../src/http/public-host.ts';

const PAGE = { 'Sec-Fetch-Dest': 'document' };

function start(publicUrl = 'https://gateway.example') {
  const lines: object[] = [];
  const app = express();
  app.set('trust proxy', 1);
  app.use(createPublicHostCheck({ publicUrl, log: { warn: (fields) => lines.push(fields) } }));
  app.use((_request, response) => void response.end());
  const open = (headers: Record<string, string>) => request(app).get('/').set(headers);
  return { lines, open };
}

describe('a page that a browser opens', () => {
  it('under another host than that of PUBLIC_URL is warned of, once', async () => {
    const { lines, open } = start();
    await open({ ...PAGE, Host: '192.0.2.1:3000' });
    await open({ ...PAGE, Host: 'other.example' });
    expect(lines).toEqual([{ seen: '192.0.2.1:3000', publicUrl: 'https://gateway.example' }]);
  });

  it.each([
    ['under the host of PUBLIC_URL', { ...PAGE, Host: 'gateway.example' }],
    ['under that host in capitals, with the port', { ...PAGE, Host: 'Gateway.Example:443' }],
    ['by way of a trusted proxy', { ...PAGE, Host: 'inside:3000', 'X-Forwarded-Host': 'gateway.example' }],
  ])('%s is in order', async (_how, headers) => {
    const { lines, open } = start();
    await open(headers);
    expect(lines).toEqual([]);
  });
});

it('a request of a program is in order under any host', async () => {
  const { lines, open } = start();
  await open({ Host: '10.0.0.7:3000' });
  expect(lines).toEqual([]);
});
