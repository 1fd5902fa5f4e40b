import { createServer } from 'node:http';
import express from 'express';
import { loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { createApiRouter } from '../../src/http/api-router.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createCatalogEndpoints } from '../../src/providers/catalog.router.ts';
import { longestTurnMs } from '../support/event-loop.ts';
import { closeServer, listen } from '../support/listen.ts';

/**
 * Lists 200 providers before anything else has asked for one, and prints the CPU time of the longest turn of the event loop
 * meanwhile, in milliseconds: a process of its own, since code is compiled and providers are made but once.
 */
const publicUrl = 'https://gateway.example';
const api = createApiRouter({
  endpoints: createCatalogEndpoints({
    catalog: loadCatalog({ allowPrivateNetworks: false }),
    projectsOf: async () => [],
    origins: { publicUrl },
    custom: { list: async () => [], find: async () => [] },
  }),
  authenticate: async ({ headers }) => {
    if (headers.authorization === undefined) throw new HttpError('token_missing');
    return { kind: 'operator', operatorId: '01990000-0000-7000-8000-000000000001' };
  },
  publicUrl,
  log: { error: () => {} },
});
const server = createServer(express().use('/v1', api));
const url = `http://127.0.0.1:${await listen(server)}/v1/providers?limit=200`;
// What any first request costs is not meant here.
await (await fetch(url)).text();
const longestMs = await longestTurnMs(async () => {
  const answer = await fetch(url, { headers: { Authorization: 'Bearer x' } });
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  await answer.text();
});
process.stdout.write(`${longestMs}\n`);
await closeServer(server);
