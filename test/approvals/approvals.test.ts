import {
  addLedger,
  agentToken,
  callLedger,
  connectUser,
  ENTRY,
  hashBody,
  type RecordingProvider,
  startRecordingProvider,
} from '../support/approval-stage.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

const OTHER = 'noah';
const BODY = '{"amount": 12.50, "to": "Kim"}';

let provider: RecordingProvider;
let gateway: Gateway;
let project: Project;
let integrationId: string;
/** Each test has a person of its own: how many calls may wait is limited. */
let user: string;
let token: string;

beforeAll(async () => {
  provider = await startRecordingProvider();
  gateway = await startGateway({ catalogDir: provider.catalogDir });
  project = await provision(gateway);
  integrationId = await addLedger(gateway, project);
  await connectUser(gateway, project, integrationId, OTHER);
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
});
beforeEach(async () => {
  provider.received.length = 0;
  provider.answerWith(200);
  user = `mia-${crypto.randomUUID()}`;
  await connectUser(gateway, project, integrationId, user);
  token = agentToken(project, user);
});

const call = (asked: Parameters<typeof callLedger>[3], bearer = token) =>
  callLedger(gateway, project, bearer, asked);
const decide = (id: string | undefined, verb: 'approve' | 'reject', bearer = project.apiKey) =>
  callApi(gateway.url, 'POST', `/v1/approvals/${id}/${verb}`, { bearer });
const read = (id: string | undefined, bearer = project.apiKey) =>
  callApi(gateway.url, 'GET', `/v1/approvals/${id}`, { bearer });

/** Asks and has it approved; its id. */
async function approved(asked: Parameters<typeof callLedger>[3], bearer = token): Promise<string> {
  const { approvalId = '' } = await call(asked, bearer);
  expect((await decide(approvalId, 'approve')).status).toBe(200);
  return approvalId;
}

describe('a call that needs an approval', () => {
  it('is kept from the provider, and its answer says where a person decides', async () => {
    const answer = await call({ body: BODY });
    expect([answer.status, answer.code]).toEqual([403, 'approval_required']);
    expect(answer.approvalUrl).toBe(`${gateway.url}/approvals/${answer.approvalId}`);
    expect(answer.text).toContain('"error":{"code":"approval_required"');
    expect(provider.received).toEqual([]);
  });

  it('reaches the provider byte for byte once it is approved and repeated, and no second time', async () => {
    const body = '{ "amount":12.50,\n"text":"ü \\u0041", "amount": 13 }';
    const asked = { method: 'PATCH', path: '/entries/7?b=2&a=%31', body, headers: { 'x-note': 'a  b' } };
    const approval = await approved(asked);
    expect((await call({ ...asked, approval })).status).toBe(200);
    const again = await call({ ...asked, approval });
    expect([again.status, again.code]).toEqual([409, 'approval_used']);
    expect(provider.received).toHaveLength(1);
    const [sent] = provider.received;
    expect([sent?.method, sent?.url]).toEqual(['PATCH', '/entries/7?b=2&a=%31']);
    expect(hashBody(sent?.body ?? '')).toBe(hashBody(body));
    expect(sent?.headers).toMatchObject({ 'x-note': 'a  b', authorization: `Bearer access-${user}` });
    expect(Object.keys(sent?.headers ?? {})).not.toContain('gateway-approval');
  });

  it('may carry bytes that are no text', async () => {
    const body = Uint8Array.from({ length: 4096 }, (_, index) => index % 256);
    const asked = { body, headers: { 'content-type': 'application/octet-stream' } };
    const approval = await approved(asked);
    expect((await call({ ...asked, approval })).status).toBe(200);
    expect(hashBody(provider.received[0]?.body ?? '')).toBe(hashBody(Buffer.from(body)));
  });

  it('is one question however often it is asked, and its repeats before the decision say the same', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => call({ body: BODY })));
    const [approvalId] = ids.map((answer) => answer.approvalId);
    expect(new Set(ids.map((answer) => answer.approvalId)).size).toBe(1);
    const waiting = await call({ body: BODY, approval: approvalId });
    expect([waiting.code, waiting.approvalId]).toEqual(['approval_required', approvalId]);
    await decide(approvalId, 'approve');
    // Without the field it stays unsent, and says what is missing.
    const unnamed = await call({ body: BODY });
    expect([unnamed.code, unnamed.approvalId]).toEqual(['approval_required', approvalId]);
    expect(unnamed.detail).toContain('Gateway-Approval');
    expect(provider.received).toEqual([]);
  });

  it('that was refused stays refused, also without the field', async () => {
    const { approvalId } = await call({ body: BODY });
    expect((await decide(approvalId, 'reject')).body.state).toBe('rejected');
    for (const approval of [approvalId, undefined]) {
      const answer = await call({ body: BODY, approval });
      expect([answer.status, answer.code, answer.approvalId]).toEqual([403, 'approval_rejected', approvalId]);
    }
    expect(provider.received).toEqual([]);
  });

  it.each([
    ['another byte in the body', { body: `${BODY} ` }],
    ['another path', { path: '/entries/1' }],
    ['another query', { path: '/entries?x' }],
    ['another method', { method: 'PUT' }],
    ['another field', { headers: { 'x-note': 'other' } }],
    ['another media type', { headers: { 'content-type': 'text/plain' } }],
  ])('with %s is another question', async (_what, change) => {
    const approval = await approved({ body: BODY });
    const answer = await call({ body: BODY, ...change, approval });
    expect([answer.status, answer.code]).toEqual([403, 'approval_required']);
    expect(answer.approvalId).not.toBe(approval);
    expect(provider.received).toEqual([]);
    expect((await read(approval)).body.state).toBe('approved');
  });

  it('of another user, of another agent or by another entry is not covered', async () => {
    const approval = await approved({ body: BODY });
    const others = [
      agentToken(project, OTHER),
      agentToken(project, user, [ENTRY], { client_id: 'another' }),
      agentToken(project, user, [{ ...ENTRY, methods: ['POST'] }], { client_id: 'third' }),
    ];
    for (const bearer of others) {
      const answer = await call({ body: BODY, approval }, bearer);
      expect([answer.code, answer.approvalId === approval]).toEqual(['approval_required', false]);
    }
    expect(provider.received).toEqual([]);
  });

  it('is covered where the agent comes back with a newer token', async () => {
    const claims = { client_id: crypto.randomUUID() };
    const approval = await approved(
      { body: BODY },
      agentToken(project, user, [ENTRY], { ...claims, jti: 'a' }),
    );
    const newer = agentToken(project, user, [ENTRY], { ...claims, jti: 'b' });
    expect((await call({ body: BODY, approval }, newer)).status).toBe(200);
  });

  it('may name an approval that is none', async () => {
    for (const approval of ['nonsense', crypto.randomUUID()]) {
      expect((await call({ body: BODY, approval })).code).toBe('approval_required');
    }
  });

  it('is refused with a body that is too large to be read, or coded', async () => {
    const large = await call({ body: 'x'.repeat(256 * 1024 + 1) });
    expect([large.status, large.code]).toEqual([413, 'body_too_large']);
    const coded = await call({ body: BODY, headers: { 'content-encoding': 'gzip' } });
    expect([coded.status, coded.code]).toEqual([400, 'invalid_request']);
    expect((await call({ body: 'x'.repeat(256 * 1024) })).code).toBe('approval_required');
  });

  it('is not sent again by the gateway itself, whatever the provider answers', async () => {
    for (const status of [401, 503]) {
      provider.received.length = 0;
      const body = `{"status":${status}}`;
      const approval = await approved({ body });
      provider.answerWith(status);
      const answer = await call({ body, approval, headers: {} });
      expect(answer.status).toBe(status);
      expect(provider.received).toHaveLength(1);
    }
  });

  it('is not sent again where the caller asks for retries', async () => {
    const asked = { method: 'GET', headers: { 'gateway-retry': '3' } };
    const approval = await approved(asked);
    provider.answerWith(503);
    expect((await call({ ...asked, approval })).status).toBe(503);
    expect(provider.received).toHaveLength(1);
  });

  it('does not wait behind more than twenty others of its user', async () => {
    const bearer = agentToken(project, OTHER, [ENTRY], { client_id: 'eager' });
    const answers = [];
    for (let index = 0; index < 22; index += 1)
      answers.push(await call({ body: `{"index":${index}}` }, bearer));
    expect(answers.at(-1)).toMatchObject({ status: 429, code: 'approval_limit' });
    const list = await callApiOk(
      gateway.url,
      'GET',
      `/v1/approvals?userId=${OTHER}&state=pending&limit=200`,
      {
        bearer: project.apiKey,
      },
    );
    expect(list.approvals).toHaveLength(20);
    for (const { id } of list.approvals) await decide(id, 'reject');
  });
});

describe('an entry with `once`', () => {
  const ONCE = { ...ENTRY, approval: 'once', paths: ['/notes/**'] };

  it('lets later calls of the token pass after the first one, and asks again for another token', async () => {
    const bearer = agentToken(project, user, [ONCE], { jti: crypto.randomUUID() });
    const first = await call({ path: '/notes/1', body: '1' }, bearer);
    await decide(first.approvalId, 'approve');
    // Approved is not yet used: nothing else passes.
    expect((await call({ path: '/notes/2', body: '2' }, bearer)).code).toBe('approval_required');
    const approval = first.approvalId;
    expect((await call({ path: '/notes/1', body: '1', approval }, bearer)).status).toBe(200);
    for (const body of ['2', 'x'.repeat(300 * 1024)])
      expect((await call({ path: '/notes/2', body }, bearer)).status).toBe(200);
    expect(provider.received).toHaveLength(3);
    const other = agentToken(project, user, [ONCE], { jti: crypto.randomUUID() });
    expect((await call({ path: '/notes/3', body: '3' }, other)).code).toBe('approval_required');
  });

  it('does not open another entry of the same token', async () => {
    const entries = [ONCE, { ...ONCE, paths: ['/drafts/**'] }];
    const bearer = agentToken(project, user, entries, { jti: crypto.randomUUID() });
    const approval = await approved({ path: '/notes/1', body: '1' }, bearer);
    expect((await call({ path: '/notes/1', body: '1', approval }, bearer)).status).toBe(200);
    expect((await call({ path: '/drafts/1', body: '1' }, bearer)).code).toBe('approval_required');
  });
});

it('a call that another entry allows without approval is not asked about', async () => {
  const bearer = agentToken(project, user, [ENTRY, { ...ENTRY, approval: 'none', paths: ['/free'] }]);
  expect((await call({ path: '/free', body: BODY }, bearer)).status).toBe(200);
  expect((await call({ path: '/dear', body: BODY }, bearer)).code).toBe('approval_required');
});

describe('who decides', () => {
  it('is an operator, a key, or the user with a token without a mandate', async () => {
    const deciders = [project.personalAccessToken, project.apiKey, project.userToken(user)];
    const kinds = [];
    for (const [index, bearer] of deciders.entries()) {
      const { approvalId } = await call({ body: `{"index":${index}}` });
      const { status, body } = await decide(approvalId, 'approve', bearer);
      expect(status).toBe(200);
      kinds.push(body.decidedBy.kind);
    }
    expect(kinds).toEqual(['operator', 'api_key', 'end_user']);
  });

  it('is never the agent: neither its token nor the address opens or decides anything', async () => {
    const { approvalId, approvalUrl = '' } = await call({ body: BODY });
    for (const verb of ['approve', 'reject'] as const) {
      const answer = await decide(approvalId, verb, token);
      expect([answer.status, answer.body.code]).toEqual([403, 'mandate_denied']);
    }
    const link = await callApi(gateway.url, 'POST', `/v1/approvals/${approvalId}/sessions`, {
      bearer: token,
      body: {},
    });
    expect([link.status, link.body.code]).toEqual([403, 'mandate_denied']);
    const page = await fetch(approvalUrl, { headers: { authorization: `Bearer ${token}` } });
    expect(page.status).toBe(403);
    expect(await page.text()).not.toContain('amount');
    const form = await fetch(approvalUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ decision: 'approved', formToken: '' }),
    });
    expect(form.status).toBe(403);
    const { body } = await read(approvalId, token);
    expect([body.state, body.call, body.asker, body.entry]).toEqual(['pending', null, null, null]);
  });

  it('is no other user', async () => {
    const { approvalId } = await call({ body: BODY });
    const bearer = project.userToken(OTHER);
    expect((await read(approvalId, bearer)).status).toBe(404);
    expect((await decide(approvalId, 'approve', bearer)).status).toBe(404);
    const list = await callApiOk(gateway.url, 'GET', '/v1/approvals?limit=200', { bearer });
    expect(list.approvals.map(({ id }: { id: string }) => id)).not.toContain(approvalId);
  });

  it('may say it twice, and not both ways', async () => {
    const { approvalId } = await call({ body: BODY });
    expect((await decide(approvalId, 'reject')).status).toBe(200);
    expect((await decide(approvalId, 'reject')).status).toBe(200);
    const late = await decide(approvalId, 'approve');
    expect([late.status, late.body.code]).toEqual([409, 'approval_decided']);
  });

  it('may take an approval back until it is used', async () => {
    const approval = await approved({ body: BODY });
    expect((await decide(approval, 'reject')).status).toBe(200);
    expect((await call({ body: BODY, approval })).code).toBe('approval_rejected');
    expect(provider.received).toEqual([]);
  });

  it('reads the exact call and who asks, and nothing of it once it has ended', async () => {
    const act = { sub: 'helper-1', name: 'Helper', act: { sub: 'chief' } };
    const bearer = agentToken(project, user, [ENTRY], { client_id: 'desk', jti: 'token-1', act });
    const { approvalId } = await call({ path: '/a%20b?x=%31', body: BODY }, bearer);
    const { body } = await read(approvalId);
    expect(body).toMatchObject({
      state: 'pending',
      mode: 'each',
      method: 'POST',
      serviceProvider: 'ledger',
      userId: user,
      asker: {
        jti: 'token-1',
        client: 'desk',
        actors: [
          { id: 'helper-1', name: 'Helper' },
          { id: 'chief', name: null },
        ],
      },
      entry: { provider: 'ledger', access: 'write', approval: 'each' },
      call: { host: null, path: '/a%20b', query: '?x=%31', body: { text: BODY, sha256: hashBody(BODY) } },
    });
    expect(body.call.headers).toContainEqual({ name: 'content-type', value: 'application/json' });
    expect(JSON.stringify(body)).not.toContain(bearer.split('.')[2]);
    await decide(approvalId, 'reject');
    expect((await read(approvalId)).body.call).toBeNull();
  });
});
