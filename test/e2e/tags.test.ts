import { decodeJwt } from 'jose';
import { callApi, callApiOk } from '../support/gateway.ts';
import { PROVIDER, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { callAs, callProxy, connectAs, readAsKey, signToken } from './organizations-stage.ts';

let stage: Stage;
let pro: { id: string; tags: Record<string, string> };
let free: { id: string };
beforeAll(async () => {
  stage = await startStage();
  const { gateway, project } = stage;
  const body = { tagClaims: ['plan'] };
  await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, { bearer: project.apiKey, body });
  const claims = { plan: 'pro' };
  pro = await connectAs(stage, { userId: 'ada', claims }, { tags: { plan: 'free', region: 'eu' } });
  free = await connectAs(stage, { userId: 'ben', claims: { plan: 'free' } }, {}, 'ben@northwind.test');
});
afterAll(() => stage?.close());

const idsIn = async (path: string, list: string, id = 'id') =>
  (await readAsKey(stage, path))[list].map((one: Record<string, unknown>) => one[id]);

describe('tags of connections', () => {
  it('come from the session and, before that, from the claims that the project names', () => {
    expect(pro.tags).toEqual({ plan: 'pro', region: 'eu' });
  });

  it('choose connections, calls and events, all of those given together', async () => {
    const { id } = stage.project;
    expect(await idsIn(`/v1/projects/${id}/connections?tag.plan=pro`, 'connections')).toEqual([pro.id]);
    expect(await idsIn(`/v1/projects/${id}/connections?tag[plan]=free`, 'connections')).toEqual([free.id]);
    const both = `/v1/projects/${id}/connections?tag.plan=free&tag.region=eu`;
    expect(await idsIn(both, 'connections')).toEqual([]);
    const own = await callAs(stage, { userId: 'ada' }, 'GET', '/v1/connections?tag.region=eu');
    expect(own.body.connections).toHaveLength(1);
    expect(await idsIn('/v1/events?tag.plan=pro', 'events', 'connectionId')).toEqual([pro.id]);
    for (const userId of ['ada', 'ben']) await callProxy(stage, { userId }, {}, '/crm/v3/objects/nothing');
    const calls = `/v1/projects/${id}/calls?tag.plan=free`;
    await until(async () => (await idsIn(calls, 'calls')).length > 0);
    expect(await idsIn(calls, 'calls', 'connectionId')).toEqual([free.id]);
  });

  it.each([
    ['tag.plan=pro&tag[plan]=free', 'query.tag.plan'],
    ['tag.__proto__=pro', 'query.tag.__proto__'],
    ['tag[__proto__]=pro', 'query.tag.__proto__'],
  ])('are refused in a query that would lose one: %s', async (query, path) => {
    const { gateway, project } = stage;
    const ofProject = `/v1/projects/${project.id}/connections`;
    for (const list of [ofProject, '/v1/events', '/v1/event-destinations', '/v1/polls']) {
      const refused = await callApi(gateway.url, 'GET', `${list}?${query}`, { bearer: project.apiKey });
      expect([list, refused.status, refused.body.errors?.[0].path]).toEqual([list, 400, path]);
    }
  });

  it('choose polls and event destinations, and the events that a destination gets', async () => {
    const { gateway, project, integration } = stage;
    const post = (path: string, body: object) =>
      callApi(gateway.url, 'POST', path, { bearer: project.apiKey, body: { ...body } });
    const made = await post('/v1/event-destinations', {
      ...{ url: 'https://receiver.example/', types: ['*'], tags: { plan: 'pro' } },
    });
    expect(made.body.tags).toEqual({ plan: 'pro' });
    expect(await idsIn('/v1/event-destinations?tag.plan=pro', 'eventDestinations')).toEqual([made.body.id]);
    expect(await idsIn('/v1/event-destinations?tag.plan=free', 'eventDestinations')).toEqual([]);
    const { body: poll } = await post('/v1/polls', {
      ...{ integrationId: integration.id, resource: 'contacts', intervalSeconds: 3600, backfill: 'none' },
      deletes: 'none',
    });
    await until(async () => (await idsIn('/v1/polls?tag.plan=pro', 'polls')).length > 0);
    expect(await idsIn('/v1/polls?tag.plan=none', 'polls')).toEqual([]);
    const ofPoll = `/v1/polls/${poll.id}/connections?tag.plan=pro`;
    expect(await idsIn(ofPoll, 'connections', 'connectionId')).toEqual([pro.id]);
  });

  it('are changed as a merge patch, by users but for those that come from their tokens', async () => {
    const path = `/v1/connections/${pro.id}`;
    const patch = (tags: object) => callAs(stage, { userId: 'ada' }, 'PATCH', path, { tags });
    expect((await patch({ region: null, team: 'blue' })).body.tags).toEqual({ plan: 'pro', team: 'blue' });
    expect((await patch({ plan: 'free' })).body.errors[0].path).toBe('body.tags.plan');
    for (const again of [{}, { connectionId: pro.id }]) {
      const begun = await callAs(stage, { userId: 'ada' }, 'POST', '/v1/connect-sessions', {
        ...{ provider: PROVIDER, tags: { plan: 'max' } },
        ...again,
      });
      expect([begun.status, begun.body.errors[0].path]).toEqual([400, 'body.tags.plan']);
    }
    const asKey = (tags: object) =>
      callApi(stage.gateway.url, 'PATCH', path, { bearer: stage.project.apiKey, body: { tags } });
    expect((await asKey({ plan: 'free' })).body.tags.plan).toBe('free');
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v']));
    const refused = [many, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(256) }, { k: 7 }];
    for (const tags of refused) expect((await asKey(tags)).status).toBe(400);
  });

  it('stay where their user authorizes again with a token that lacks the claim', async () => {
    const lacking = { userId: 'cai' };
    const made = await connectAs(stage, { ...lacking, claims: { plan: 'pro' } }, { tags: { team: 'red' } });
    const again = await connectAs(stage, lacking, { connectionId: made.id, tags: { team: 'blue' } });
    expect([again.id, again.tags]).toEqual([made.id, { plan: 'pro', team: 'blue' }]);
    const changed = await connectAs(
      stage,
      { ...lacking, claims: { plan: 'free' } },
      { connectionId: made.id },
    );
    expect(changed.tags).toEqual({ plan: 'free' });
  });

  it('come from a token that was exchanged as from the one before it', async () => {
    const claims = { plan: 'pro', nbf: 1, team: 'blue' };
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: signToken(stage, { userId: 'dia', claims }),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
    const answer = await fetch(`${stage.gateway.url}/oauth/token`, { method: 'POST', body: form });
    const narrow = decodeJwt((await answer.json()).access_token);
    expect([narrow.plan, narrow.team, narrow.nbf]).toEqual(['pro', undefined, undefined]);
  });

  it('come with imports, and are an error where a list has none', async () => {
    const { gateway, project, integration } = stage;
    const made = await callApi(gateway.url, 'POST', '/v1/connections', {
      bearer: project.apiKey,
      body: {
        integrationId: integration.id,
        userId: 'zoe',
        credentials: { accessToken: 'x' },
        tags: { plan: 'max' },
      },
    });
    expect(made.body.tags).toEqual({ plan: 'max' });
    const other = await callApi(gateway.url, 'GET', '/v1/integrations?tag.plan=pro', {
      bearer: project.apiKey,
    });
    expect(other.status).toBe(400);
  });
});
