import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { type ApiAnswer, callApi, callApiOk, createProject, seedOperator } from '../support/gateway.ts';
import { APP_ORIGIN, CONTACTS, connectAccount, PROVIDER, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';

let stage: Stage;
let connectionId: string;
const requestIds: Record<string, string> = {};

beforeAll(async () => {
  stage = await startStage();
  const connection = await connectAccount(stage, { userId: 'customer-17' });
  connectionId = connection.id;
});
afterAll(() => stage?.close());

/** A proxied call of a user. */
async function call(
  path: string,
  userId = 'customer-17',
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const { gateway, project } = stage;
  const bearer = userId === '' ? 'no.valid.token' : project.userToken(userId);
  return callApi(gateway.proxyUrl, 'GET', `/projects/${project.id}/proxy/${PROVIDER}${path}`, {
    bearer,
    headers,
  });
}

const read = (path: string, bearer = stage.project.apiKey) =>
  callApi(stage.gateway.url, 'GET', `/v1${path}`, { bearer });

describe('a project’s calls', () => {
  beforeAll(async () => {
    // A browser's preflight is no call.
    await fetch(`${stage.gateway.proxyUrl}/projects/${stage.project.id}/proxy/${PROVIDER}/preflight`, {
      method: 'OPTIONS',
      headers: { origin: APP_ORIGIN, 'access-control-request-method': 'GET' },
    });
    const answers = {
      good: await call(`${CONTACTS}?limit=1&secret=in-the-query`),
      missing: await call(`${CONTACTS}/no-such-contact`),
      unconnected: await call(CONTACTS, 'stranger'),
      refused: await call(CONTACTS, ''),
    };
    for (const [name, answer] of Object.entries(answers))
      requestIds[name] = answer.headers.get('gateway-request-id') ?? '';
    expect(Object.values(answers).map(({ status }) => status)).toEqual([200, 404, 404, 401]);
    await until(async () => (await read(`/projects/${stage.project.id}/calls`)).body.calls.length === 4);
  });

  it('are opened by their request ids, with whose error it was and what to do', async () => {
    const path = `/projects/${stage.project.id}/calls`;
    const good = (await read(`${path}/${requestIds.good}`)).body;
    expect(good).toEqual({
      requestId: requestIds.good,
      at: expect.stringMatching(/Z$/),
      method: 'GET',
      path: CONTACTS,
      provider: PROVIDER,
      integrationId: stage.integration.id,
      connectionId,
      userId: 'customer-17',
      status: 200,
      origin: 'none',
      code: null,
      remedy: null,
      tokenFault: null,
      attempts: 1,
      durationMs: expect.any(Number),
      gatewayMs: expect.any(Number),
      providerMs: expect.any(Number),
      requestBytes: 0,
      responseBytes: expect.any(Number),
      traceId: null,
      mandates: [],
      organizationId: null,
      actors: [],
    });
    expect(good.gatewayMs + good.providerMs).toBeCloseTo(good.durationMs, 2);
    expect(good.responseBytes).toBeGreaterThan(20);
    expect((await read(`${path}/${requestIds.missing}`)).body).toMatchObject({
      origin: 'provider',
      status: 404,
      code: null,
    });
    expect((await read(`${path}/${requestIds.unconnected}`)).body).toMatchObject({
      origin: 'gateway',
      code: 'connection_not_found',
      remedy: expect.stringContaining('authorize'),
      userId: 'stranger',
      attempts: 0,
      integrationId: null,
    });
    expect((await read(`${path}/${requestIds.refused}`)).body).toMatchObject({
      code: 'token_invalid',
      tokenFault: 'not_a_jwt',
      userId: null,
    });
  });
});

describe('the lists and numbers of a project', () => {
  const calls = `/calls`;
  const of = (path: string) => `/projects/${stage.project.id}${path}`;

  it('filter calls by user, origin, status and connection, newest first, in pages', async () => {
    const ids = async (query: string) =>
      (await read(of(`${calls}${query}`))).body.calls.map(
        ({ requestId }: { requestId: string }) => requestId,
      );
    const all = await ids('');
    expect(all).toEqual(Object.values(requestIds).sort().reverse());
    expect(await ids('?userId=stranger')).toEqual([requestIds.unconnected]);
    expect(await ids('?origin=provider')).toEqual([requestIds.missing]);
    expect(await ids('?status=4xx&origin=gateway')).toEqual(
      [requestIds.refused, requestIds.unconnected].sort().reverse(),
    );
    expect(await ids(`?status=200&connectionId=${connectionId}&provider=${PROVIDER}`)).toEqual([
      requestIds.good,
    ]);
    const first = (await read(of(`${calls}?limit=3`))).body;
    const second = (await read(of(`${calls}?limit=3&cursor=${first.nextCursor}`))).body;
    expect([...first.calls, ...second.calls].map(({ requestId }) => requestId)).toEqual(all);
    expect(second.nextCursor).toBeNull();
  });

  it('count calls and errors by provider, integration and origin, before and after they are merged', async () => {
    const stats = async (query: string) =>
      (await read(of(`/stats?${query.includes('step=') ? '' : 'step=minute&'}${query}`))).body;
    const counts = async (query: string) =>
      Object.fromEntries(
        (await stats(query)).series.map(
          ({ key, totals }: { key: string; totals: Record<string, number> }) => [
            key,
            [totals.calls, totals.gatewayErrors, totals.providerErrors],
          ],
        ),
      );
    const expected = { [PROVIDER]: [2, 0, 1], none: [2, 2, 0] };
    expect(await counts('groupBy=provider')).toEqual(expected);
    const db = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
    await db.connect();
    await until(async () => (await db.query('SELECT 1 FROM call_counts_pending')).rows.length === 0);
    await db.end();
    for (const step of ['minute', 'hour', 'day'])
      expect(await counts(`groupBy=provider&step=${step}`)).toEqual(expected);
    expect(await counts('groupBy=integration')).toEqual({
      [stage.integration.id]: [2, 0, 1],
      none: [2, 2, 0],
    });
    expect(await counts('groupBy=origin')).toEqual({
      none: [1, 0, 0],
      gateway: [2, 2, 0],
      provider: [1, 0, 1],
    });
    expect(await counts('groupBy=total')).toEqual({ total: [4, 2, 1] });
    const { series } = await stats('groupBy=provider');
    expect(series[0].totals.p50Ms).toBeGreaterThan(0);
    expect(series[0].totals.gatewayP50Ms).toBeLessThanOrEqual(series[0].totals.p50Ms);
  });
});

describe('a live tail', () => {
  it('shows calls and activity of the project as they happen, and nothing else', async () => {
    const { gateway, project } = stage;
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/v1/projects/${project.id}/tail`, {
      headers: { authorization: `Bearer ${project.personalAccessToken}` },
      signal: abort.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await until(() => text.includes('event: begin'));
    const other = await createProject(gateway.url, project.personalAccessToken);
    await until(async () => {
      await call(`${CONTACTS}?limit=1&secret=in-the-query`);
      return text.includes('event: call');
    });
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, {
      bearer: project.apiKey,
      body: { name: 'Watched' },
    });
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${other.id}`, {
      bearer: other.apiKey,
      body: { name: 'Not watched' },
    });
    await until(() => text.includes('event: activity'));
    abort.abort();
    await reading;
    const events = text.split('\n\n').filter((event) => event.startsWith('event: '));
    const data = (name: string) =>
      events
        .filter((event) => event.startsWith(`event: ${name}\n`))
        .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? ''));
    expect(data('call')[0]).toMatchObject({ path: CONTACTS, userId: 'customer-17', status: 200 });
    expect(data('activity')).toMatchObject([{ action: 'project.updated', projectId: project.id }]);
    expect(text).not.toContain('in-the-query');
  });

  it('ends when its credential is revoked', async () => {
    const { gateway, project } = stage;
    const other = await createProject(gateway.url, project.personalAccessToken);
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/v1/projects/${other.id}/tail`, {
      headers: { authorization: `Bearer ${other.apiKey}` },
      signal: abort.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    const keys = await read(`/projects/${other.id}/api-keys`, project.personalAccessToken);
    const bearer = project.personalAccessToken;
    const path = `/v1/projects/${other.id}/api-keys/${keys.body.apiKeys[0].id}`;
    expect((await callApi(gateway.url, 'DELETE', path, { bearer })).status).toBe(204);
    try {
      await until(() => text.includes('"access_ended"'));
    } finally {
      abort.abort();
      await reading;
    }
  });
});

describe('what others see of it', () => {
  const paths = () => {
    const { id } = stage.project;
    return ['stats', 'calls', `calls/${requestIds.good}`, 'tail'].map((path) => `/projects/${id}/${path}`);
  };

  it('is nothing for another project’s operator, and nothing for end users', async () => {
    const stranger = await seedOperator(stage.gateway.databaseUrl ?? '');
    for (const path of paths()) {
      expect((await read(path, stranger)).body.code).toBe('project_not_found');
      expect((await read(path, stage.project.userToken('customer-17'))).body.code).toBe(
        'forbidden_principal',
      );
    }
  });

  it('does not open a call of one project in another', async () => {
    const other = await createProject(stage.gateway.url, stage.project.personalAccessToken);
    const answer = await read(`/projects/${other.id}/calls/${requestIds.good}`, other.apiKey);
    expect([answer.status, answer.body.code]).toEqual([404, 'call_not_found']);
  });
});

describe('the numbers beside integrations', () => {
  it('are connections and the calls of a day', async () => {
    const { integrations } = (await read('/integrations?include=numbers')).body;
    expect(integrations).toMatchObject([
      { id: stage.integration.id, numbers: { connections: 1, reauthorizationRequired: 0, errorsDay: 1 } },
    ]);
    expect(integrations[0].numbers.callsDay).toBeGreaterThanOrEqual(2);
    expect(integrations[0].numbers.lastCallAt).toMatch(/Z$/);
    expect((await read('/integrations')).body.integrations[0].numbers).toBeUndefined();
    const asUser = await read('/integrations?include=numbers', stage.project.userToken('customer-17'));
    expect(asUser.status).toBe(403);
  });
});

describe('the search field', () => {
  const kinds = async (q: string) =>
    (await read(`/search?q=${encodeURIComponent(q)}`)).body.results.map(
      ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`,
    );

  it('finds requests, connections, users, integrations, providers and projects', async () => {
    const connection = `connection ${connectionId}`;
    expect(await kinds(requestIds.good ?? '')).toEqual([`request ${requestIds.good}`]);
    expect(await kinds(connectionId.slice(0, 13))).toEqual([connection]);
    expect(await kinds('CUSTOMER-1')).toEqual([connection, expect.stringMatching(/^user /)]);
    expect(await kinds('demo-c')).toEqual([`integration ${stage.integration.id}`, `provider ${PROVIDER}`]);
    expect(await kinds(stage.project.id)).toEqual([`project ${stage.project.id}`]);
    expect(await kinds('100%_of')).toEqual([]);
  });
});

describe('the times in an answer', () => {
  it('are told where the call asks for them, and only there', async () => {
    const plain = await call(CONTACTS);
    expect(plain.headers.get('gateway-timing')).toBeNull();
    const timed = await call(CONTACTS, 'customer-17', { 'Gateway-Timing': 'true' });
    expect(timed.headers.get('gateway-timing')).toMatch(/^gateway;dur=[\d.]+, provider;dur=[\d.]+$/);
  });
});

it('records a call whose actor has a longer name than is kept, with a character at the cut', async () => {
  const { gateway, project } = stage;
  const act = { sub: `${'a'.repeat(254)}😀` };
  const { headers } = await callApi(
    gateway.proxyUrl,
    'GET',
    `/projects/${project.id}/proxy/${PROVIDER}${CONTACTS}`,
    { bearer: project.userToken('stranger', { claims: { act } }) },
  );
  const path = `/projects/${project.id}/calls/${headers.get('gateway-request-id')}`;
  await until(async () => (await read(path)).status === 200);
  expect((await read(path)).body.actors).toEqual([{ id: 'a'.repeat(254), name: null }]);
});
