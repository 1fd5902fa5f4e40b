import { createIdBound, newId } from '../../src/lib/ids.ts';
import { callApi, callApiOk, createProject, type Project } from '../support/gateway.ts';
import { connectAccount, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';

const NIL = '00000000-0000-0000-0000-000000000000';
let stage: Stage;
let other: Project;

beforeAll(async () => {
  stage = await startStage();
  other = await createProject(stage.gateway.url, stage.project.personalAccessToken);
});
afterAll(() => stage?.close());

type Event = { id: string; type: string; connectionId: string | null; data: Record<string, unknown> };

const read = (query = '', bearer = stage.project.apiKey) =>
  callApi(stage.gateway.url, 'GET', `/v1/events${query}`, { bearer });

/** What comes after an event, as soon as there is something. */
async function waitAfter(after: string, rest = ''): Promise<{ events: Event[]; nextAfter: string }> {
  return callApiOk(stage.gateway.url, 'GET', `/v1/events?after=${after}&wait=30${rest}`, {
    bearer: stage.project.apiKey,
  });
}

const remove = (connectionId: string) =>
  callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${connectionId}`, { bearer: stage.project.apiKey });

describe('GET /v1/events', () => {
  it('lets readers beyond those that it can wake wait as well, so that they do not ask without a pause', async () => {
    // A project of their own: until they are gone, they take the places of its other readers.
    const { apiKey } = await createProject(stage.gateway.url, stage.project.personalAccessToken);
    const waitingASecond = read('?types=none.at.all&wait=1', other.apiKey);
    const crowd = new AbortController();
    let answered = 0;
    const readers = Array.from({ length: 110 }, async () => {
      const url = `${stage.gateway.url}/v1/events?types=none.at.all&wait=30`;
      const headers = { Authorization: `Bearer ${apiKey}` };
      const response = await fetch(url, { headers, signal: crowd.signal });
      expect(await response.json()).toMatchObject({ events: [] });
      answered += 1;
    });
    const settled = Promise.allSettled(readers);
    await waitingASecond;
    expect(answered).toBe(0);
    await until(() => answered === 10);
    crowd.abort();
    await settled;
  });

  it.each<[string, 'DELETE' | 'PATCH', object | undefined, number, string]>([
    ['is deleted', 'DELETE', undefined, 401, 'token_invalid'],
    ['loses its scope', 'PATCH', { scopes: ['events:read'] }, 403, 'scope_missing'],
  ])('says nothing to a caller who waits and whose key %s', async (_what, method, body, status, code) => {
    const bearer = stage.project.personalAccessToken;
    const own = await createProject(stage.gateway.url, bearer);
    const send = (path: string, sent: object) =>
      callApiOk(stage.gateway.url, 'POST', path, { bearer, body: sent });
    await send('/v1/event-destinations', {
      ...{ projectId: own.id, url: 'http://127.0.0.1:9/', types: ['activity.*'] },
    });
    const keys = `/v1/projects/${own.id}/api-keys`;
    const { id, key } = await send(keys, { name: 'reader', scopes: ['events:read', 'activity:read'] });
    const wait = (from: string) => read(`?types=activity.*&wait=30&after=${from}`, key);
    let after = NIL;
    await until(async () => {
      const page: { events: Event[]; nextAfter: string } = (await wait(after)).body;
      after = page.nextAfter;
      return page.events.some(({ type }) => type === 'activity.api_key.created');
    });
    const waiting = wait(after);
    // What is done to the key is an event that the caller waits for.
    await callApiOk(stage.gateway.url, method, `${keys}/${id}`, { bearer, ...(body && { body }) });
    const answer = await waiting;
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('tells the life of a connection in its order, to a caller who waits', async () => {
    const before: { nextAfter: string } = (await read('?limit=1000')).body;
    const waiting = waitAfter(before.nextAfter, '&limit=1');
    const connection = await connectAccount(stage, { userId: 'customer-1' });
    const { events: first, nextAfter } = await waiting;
    expect(first).toEqual([
      {
        id: nextAfter,
        type: 'connection.created',
        createdAt: expect.stringMatching(/Z$/),
        projectId: stage.project.id,
        integrationId: stage.integration.id,
        connectionId: connection.id,
        integrationUserId: expect.any(String),
        userId: 'customer-1',
        owner: { type: 'user', id: 'customer-1' },
        source: 'gateway',
        data: expect.objectContaining({ id: connection.id, status: 'active', userId: 'customer-1' }),
      },
    ]);
    await connectAccount(stage, { userId: 'customer-1' });
    const again = await waitAfter(nextAfter);
    await remove(connection.id);
    const gone = await waitAfter(again.nextAfter);
    expect([...again.events, ...gone.events].map(({ type }) => type)).toEqual([
      'connection.reauthorized',
      'connection.deleted',
    ]);
    const page = (await read(`?after=${before.nextAfter}`)).body;
    expect(page.events.map(({ id }: Event) => id)).toEqual(
      [...first, ...again.events, ...gone.events].map(({ id }) => id),
    );
    expect((await read(`?after=${page.nextAfter}`)).body).toEqual({ events: [], nextAfter: page.nextAfter });
  });

  it('filters by type and connection, and moves on past the others', async () => {
    const start = (await read('?limit=1000')).body.nextAfter;
    const one = await connectAccount(stage, { userId: 'customer-2' });
    const two = await connectAccount(stage, { userId: 'customer-3' });
    await remove(one.id);
    const ofTwo = await waitAfter(start, `&connectionId=${two.id}`);
    expect(ofTwo.events.map(({ connectionId }) => connectionId)).toEqual([two.id]);
    const deleted = await waitAfter(start, '&types=hubspot.*,connection.deleted');
    expect(deleted.events.map(({ connectionId }) => connectionId)).toEqual([one.id]);
    const none = (await read(`?after=${start}&types=hubspot.*`)).body;
    expect(none.events).toEqual([]);
    expect(none.nextAfter).toBe((await read('?limit=1000')).body.nextAfter);
  });

  it('tells of changed integrations', async () => {
    const start = (await read('?limit=1000')).body.nextAfter;
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${stage.integration.id}`, {
      bearer: stage.project.apiKey,
      body: { scopes: ['oauth'] },
    });
    const { events } = await waitAfter(start, '&types=integration.updated');
    expect(events[0]).toMatchObject({
      integrationId: stage.integration.id,
      connectionId: null,
      data: { fields: ['scopes'] },
    });
  });

  it('begins at the oldest event without `after`, and always tells where to read on', async () => {
    expect((await read('', other.apiKey)).body).toEqual({ events: [], nextAfter: NIL });
    const { events } = (await read('?limit=1')).body;
    expect((await read(`?after=${NIL}&limit=1`)).body.events).toEqual(events);
  });

  it('shows nothing of another project, whose events it does not know either', async () => {
    const { nextAfter } = (await read('?limit=1')).body;
    const answer = await read(`?after=${nextAfter}`, other.apiKey);
    expect([answer.status, answer.body.code, answer.body.errors[0].path]).toEqual([
      400,
      'invalid_request',
      'query.after',
    ]);
    const named = await read(`?projectId=${stage.project.id}`, other.apiKey);
    expect([named.status, named.body.code]).toEqual([404, 'project_not_found']);
  });

  it('says so where events may have been missed', async () => {
    const old = createIdBound(Date.now() - 60 * 24 * 3_600_000).slice(0, 14) + newId().slice(14);
    const answer = await read(`?after=${old}`);
    expect([answer.status, answer.body.code]).toEqual([410, 'events_expired']);
    expect(answer.body.remedy).toContain('without `after`');
  });

  it.each([
    '?after=x',
    '?limit=0',
    '?limit=1001',
    '?wait=31',
    '?types=*.created',
    '?types=',
    '?wait=1e1',
    '?x=1',
  ])('refuses %s', async (query) => {
    const answer = await read(query);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  it('asks an operator of several projects to name one', async () => {
    const answer = await read('', stage.project.personalAccessToken);
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, 'query.projectId']);
    const named = await read(`?projectId=${stage.project.id}`, stage.project.personalAccessToken);
    expect(named.status).toBe(200);
  });

  it('is not for end users', async () => {
    const answer = await read('', stage.project.userToken('customer-1'));
    expect(answer.body.code).toBe('forbidden_principal');
  });
});

describe('the stream for people who look', () => {
  const api = (path: string) =>
    callApi(stage.gateway.url, 'GET', `/v1${path}`, { bearer: stage.project.apiKey });

  it('shows the newest first, page by page, and the same events as the feed', async () => {
    const { nextAfter } = (await read('?limit=1000')).body;
    await connectAccount(stage, { userId: 'looked-at-1' });
    await connectAccount(stage, { userId: 'looked-at-2' });
    const first = await waitAfter(nextAfter);
    if (first.events.length < 2) await waitAfter(first.nextAfter);
    const all: Event[] = (await read('?limit=1000')).body.events;
    const seen: Event[] = [];
    for (let cursor = ''; ; ) {
      const { events, nextCursor } = (await api(`/events/latest?limit=2${cursor}`)).body;
      seen.push(...events);
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(all.toReversed());
  });

  it('narrows by type and connection, and ends where nothing older is wanted', async () => {
    const { nextAfter } = (await read('?limit=1000')).body;
    const one = await connectAccount(stage, { userId: 'looked-at-3' });
    await waitAfter(nextAfter);
    const found = (await api(`/events/latest?types=connection.created&connectionId=${one.id}`)).body;
    expect(found.events.map(({ type }: Event) => type)).toEqual(['connection.created']);
    expect(found.nextCursor).toBeNull();
    expect((await api('/events/latest?types=none.*')).body).toEqual({ events: [], nextCursor: null });
  });

  it('reads one event, and names the types that came', async () => {
    const [newest] = (await api('/events/latest?limit=1')).body.events;
    expect((await api(`/events/${newest.id}`)).body).toEqual(newest);
    const { types } = (await api('/events/types')).body;
    expect(types).toContainEqual({ type: newest.type, objectType: null, lastAt: expect.any(String) });
    const stranger = await callApi(stage.gateway.url, 'GET', `/v1/events/${newest.id}`, {
      bearer: other.apiKey,
    });
    expect([stranger.status, stranger.body.code]).toEqual([404, 'event_not_found']);
  });
});
