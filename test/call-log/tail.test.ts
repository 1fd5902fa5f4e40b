import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { buildCallRecord } from '../../src/call-log/call-record.ts';
import { createTailEndpoints } from '../../src/call-log/tail.router.ts';
import { createTails } from '../../src/call-log/tail.ts';
import { listPayloads } from '../../src/call-log/tail-publisher.ts';
import { newId } from '../../src/lib/ids.ts';
import { CHANGE_CHANNEL } from '../../src/platform/change-notices.ts';
import { createChangeListener } from '../../src/platform/postgres/listen.ts';
import { createParties } from '../../src/platform/postgres/parties.ts';
import type { Access } from '../../src/projects/access.ts';
import { authenticate, createTestApp, PROJECT_ID } from '../http/support.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { finishedCall } from './fake-calls.ts';

const database = await createTestDatabase();
const clock = { aheadMs: 0, isDraining: false };
const now = () => Date.now() + clock.aheadMs;

/** Owners of projects that differ from the projects. */
const owners = new Map<string, string>();
const partyOf = async (_db: unknown, projectId: string) => owners.get(projectId) ?? projectId;

/** Two processes, as far as tails go. */
function startProcess() {
  const tails = createTails({
    db: database.knex,
    parties: { ...createParties(), partyOf },
    now,
    isDraining: () => clock.isDraining,
  });
  const listener = createChangeListener({
    url: database.url,
    channel: CHANGE_CHANNEL,
    onMessage: tails.handleNotice,
    onLost: () => undefined,
    onRestored: () => undefined,
  });
  return { ...tails, listener };
}
const [near, far] = [startProcess(), startProcess()];
/** Projects whose tail has ended for the process. */
const ended = new Set<string>();
const access = new Map<string, boolean | 'unknown'>();
const server = createServer((request, response) => {
  const projectId = request.url?.slice(1) ?? '';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const isAllowed = async () => {
    const answer = access.get(projectId) ?? true;
    if (answer === 'unknown') throw new Error('who may read cannot be found out');
    return answer;
  };
  const party = owners.get(projectId) ?? projectId;
  void near
    .follow({ projectId, party }, response, gone.signal, isAllowed)
    .finally(() => ended.add(projectId));
});
server.listen(0, '127.0.0.1');
await Promise.all([near.listener.start(), far.listener.start(), once(server, 'listening')]);
const { port } = server.address() as AddressInfo;

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await Promise.all([near.listener.stop(), far.listener.stop()]);
  await database.drop();
});

const hasRoom = (projectId: string) =>
  near.assertRoom(projectId).then(
    () => true,
    () => false,
  );

/** A reader of a project's tail. */
async function follow(projectId: string) {
  const request = get({ port, host: '127.0.0.1', path: `/${projectId}`, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('no response');
  const reader = { text: '', hasEnded: false, response };
  response.setEncoding('utf8').on('data', (chunk) => {
    reader.text += chunk;
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    reader.hasEnded = true;
  });
  await until(() => reader.text.includes('event: begin'));
  return reader;
}

function callOf(projectId: string, path = '/x') {
  const call = finishedCall({ projectId, path });
  return buildCallRecord(call, { projectId, user: { projectId, subject: 'u' }, nowMs: now() });
}

describe('a live tail', () => {
  it('shows what other processes proxy, which send nothing while nobody watches', async () => {
    const projectId = newId();
    expect(far.isWatched(projectId)).toBe(false);
    const reader = await follow(projectId);
    await until(() => far.isWatched(projectId));
    expect(far.isWatched(newId())).toBe(false);
    far.show(callOf(projectId, '/from/afar'));
    await until(() => reader.text.includes('/from/afar'));
    reader.response.destroy();
  });

  it('tells how many calls it left out of a flood', async () => {
    const projectId = newId();
    const reader = await follow(projectId);
    for (let call = 0; call < 500; call += 1) far.show(callOf(projectId));
    await until(() => reader.text.includes('event: dropped'));
    expect(reader.text.match(/^event: call$/gm)).toHaveLength(60);
    expect(reader.text).toContain('data: {"calls":440}');
    reader.response.destroy();
  });

  it('ends after five minutes, for one who may not read any more, and when the process stops', async () => {
    const [project, forbidden] = [newId(), newId()];
    const unclear = newId();
    access.set(unclear, 'unknown');
    const asked = await follow(unclear);
    const [first, second] = [await follow(project), await follow(forbidden)];
    access.set(forbidden, false);
    await until(() => second.hasEnded);
    expect(second.text).toContain('data: {"reason":"access_ended"}');
    expect(asked.hasEnded).toBe(false);
    clock.aheadMs += 5 * 60_000;
    await until(() => first.hasEnded);
    expect(first.text).toContain('data: {"reason":"time"}');
    const third = await follow(project);
    clock.isDraining = true;
    await until(() => third.hasEnded);
    expect(third.text).toContain('data: {"reason":"shutting_down"}');
    clock.isDraining = false;
  });

  it('is refused to the sixth reader of a project, but not to another project', async () => {
    const projectId = newId();
    const readers = [];
    for (let reader = 0; reader < 5; reader += 1) readers.push(await follow(projectId));
    await expect(near.assertRoom(projectId)).rejects.toMatchObject({ code: 'rate_limited' });
    await near.assertRoom(newId());
    for (const { response } of readers) response.destroy();
    await until(() => hasRoom(projectId));
  });

  it('is refused to an owner with half of the places of the process, in whichever project, but not to another', async () => {
    const owner = newId();
    const projects = Array.from({ length: 10 }, () => newId());
    for (const projectId of projects) owners.set(projectId, owner);
    const readers = [];
    for (const projectId of projects) {
      while (readers.length < 50 && (await hasRoom(projectId))) readers.push(await follow(projectId));
    }
    expect(readers).toHaveLength(25);
    await near.assertRoom(newId());
    for (const { response } of readers) response.destroy();
    await until(() => hasRoom(projects[0] ?? ''));
  });

  it('cuts off a reader that does not read, instead of keeping everything for it', async () => {
    const projectId = newId();
    const reader = await follow(projectId);
    reader.response.pause();
    const text = JSON.stringify({
      calls: Array.from({ length: 50 }, () => ({ text: 'x'.repeat(10_000) })),
      dropped: 0,
    });
    await until(() => {
      near.handleNotice(`tail_calls ${projectId} ${text}`);
      return ended.has(projectId);
    });
    reader.response.resume();
    await until(() => reader.hasEnded);
  });
});

describe('a notice of calls', () => {
  it('stays within what Postgres takes, whatever the calls', () => {
    const texts = Array.from({ length: 60 }, (_, index) => JSON.stringify({ path: 'é'.repeat(30 * index) }));
    const payloads = listPayloads(newId(), { texts, dropped: 3 });
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    const calls = payloads.flatMap((payload) => JSON.parse(payload.split(' ')[2] ?? '').calls);
    expect(calls.map((call) => JSON.stringify(call))).toEqual(texts);
  });
});

it('a request for the head alone is answered at once, and takes no place', async () => {
  let followed = 0;
  const tails = {
    ...near,
    async follow() {
      followed += 1;
    },
  };
  const projects = { requireProjectAccess: async () => 'owner' } as unknown as Access;
  const { app } = createTestApp(createTailEndpoints({ access: projects, authenticate, tails }));
  const answer = await request(app).head(`/v1/projects/${PROJECT_ID}/tail`).auth('key', { type: 'bearer' });
  expect([answer.status, answer.headers['content-type'], followed]).toEqual([200, 'text/event-stream', 0]);
});
