import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { longestTurnMs } from '../support/event-loop.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { PEOPLE } from './fake-crm.ts';
import { createPollStage } from './poll-stage.ts';

/** What a page may hold at most. */
const RECORDS = 2_000;
const PAGE_LENGTH = 2_000_000;
const BUDGET_MS = 50;
/** The first page compiles code; a garbage collection may fall into any. */
const TRIES = 4;

/** A provider in a thread of its own, whose work is not that of the gateway. */
const PROVIDER = `
const { parentPort } = require('node:worker_threads');
let page;
parentPort.on('message', (next) => { page = next; });
require('node:http').createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(page);
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

let database: TestDatabase;
let provider: Worker;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  provider = new Worker(PROVIDER, { eval: true });
  const [port] = await once(provider, 'message');
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await provider?.terminate();
  await database?.drop();
});

/** As many records as fit, each with this member again and again. */
function pageOf(member: (index: number) => string): string {
  const lengthMax = PAGE_LENGTH / RECORDS;
  const records = Array.from({ length: RECORDS }, (_none, id) => {
    let text = `{"id":"r${id}","updatedAt":"2026-01-01T00:00:00Z"`;
    for (let index = 0; text.length < lengthMax - 40; index += 1) text += `,${member(index)}`;
    return `${text}}`;
  });
  return `{"results":[${records.join(',')}]}`;
}

describe('the largest page', () => {
  it.each([
    ['long texts', (index: number) => `"text${index}":"${'x'.repeat(150)}"`],
    ['many short members', (index: number) => `"k${index}":${index % 3 ? `"v${index}"` : 'null'}`],
    ['numbers that have to keep their digits', (index: number) => `"n${index}":[1.10,2.20,1e5,3.30,4.40]`],
  ])('of %s is told without holding the event loop', async (_words, member) => {
    provider.postMessage(pageOf(member));
    let longestMs = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && longestMs > BUDGET_MS; attempt += 1) {
      const stage = await createPollStage(database, url, PEOPLE, { backfill: 'full' });
      longestMs = await longestTurnMs(() => stage.run());
      expect((await stage.shown()).progress.recordsSeen).toBe(RECORDS);
      expect(await stage.reported()).toHaveLength(RECORDS);
    }
    expect(longestMs).toBeLessThan(BUDGET_MS);
  });
});
