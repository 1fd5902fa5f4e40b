import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  type AgentClient,
  openEarlierClient,
  openModernClient,
  type Question,
} from '../support/agent-clients.ts';
import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';

let stage: AgentStage;
let database: pg.Client;
let user: string;

beforeAll(async () => {
  stage = await startAgentStage();
  database = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stage?.close();
});
beforeEach(async () => {
  user = `mia-${crypto.randomUUID()}`;
  await stage.connect(user);
  stage.seen.length = 0;
  stage.answerWith({ body: '{"id":7}' });
});

const entry = { type: 'gateway_access', provider: NOTES, access: 'write', approval: 'each' };
const tokenOf = (userId: string, claims = {}) =>
  stage.project.userToken(userId, { claims: { authorization_details: [entry], ...claims } });

type Given = Omit<Parameters<AgentStage['open']>[0] & object, 'token'>;
const open = (given: Given = {}, openClient = openModernClient, userId = user) =>
  stage.open({ ...given, token: tokenOf(userId) }, openClient);

const NOTE = { provider: NOTES, method: 'POST', path: '/notes', body: { title: 'ü \\u0041', n: 1.5 } };
const write = (client: AgentClient, input: object = NOTE) => client.callTool('write', { ...input });

type Refused = { code?: string; approvalId?: string; approvalUrl?: string; detail?: string; remedy?: string };
const refused = ({ structuredContent }: { structuredContent?: unknown }): Refused => ({
  ...(typeof structuredContent === 'object' && structuredContent),
});

const decide = (id: string | undefined, verb: 'approve' | 'reject') =>
  callApi(stage.gateway.url, 'POST', `/v1/approvals/${id}/${verb}`, { bearer: stage.project.apiKey });
const lines = () => stage.seen.map(({ line, body }) => `${line} ${body}`);

/** The page of an approval, as the browser gets it that the application has sent there. */
async function readPage(approvalId: string | undefined): Promise<string> {
  const { url } = await callApiOk(stage.gateway.url, 'POST', `/v1/approvals/${approvalId}/sessions`, {
    bearer: stage.project.apiKey,
    body: { userId: user, locale: 'en' },
  });
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = entered.headers
    .getSetCookie()
    .map((value) => value.split(';', 1)[0])
    .join('; ');
  return (await fetch(`${stage.gateway.url}/approvals/${approvalId}`, { headers: { cookie } })).text();
}

/** Asks by `client` and has it approved; the id of the approval. */
async function askAndApprove(client: AgentClient, input: object = NOTE): Promise<string> {
  const { approvalId = '' } = refused(await write(client, input));
  expect((await decide(approvalId, 'approve')).status).toBe(200);
  return approvalId;
}

describe('a write that needs an approval', () => {
  it('gives the link in the text to a client that opens nothing, and is sent once when the same call comes again', async () => {
    const client = await open();
    const asked = await write(client);
    expect(asked).toMatchObject({ isError: true, structuredContent: { source: 'gateway' } });
    const { code, approvalId, approvalUrl, remedy } = refused(asked);
    expect([code, approvalUrl]).toEqual([
      'approval_required',
      `${stage.gateway.url}/approvals/${approvalId}`,
    ]);
    expect(remedy).not.toContain('Gateway-Approval');
    expect(refused(await write(client)).approvalId).toBe(approvalId);
    expect(stage.seen).toEqual([]);
    await decide(approvalId, 'approve');
    const sent = await write(client);
    expect(sent.structuredContent).toMatchObject({ source: 'provider', status: 200, body: { id: 7 } });
    expect(lines()).toEqual([`POST /notes ${JSON.stringify(NOTE.body)}`]);
    const again = refused(await write(client));
    expect(again.code).toBe('approval_required');
    expect(again.approvalId).not.toBe(approvalId);
    expect(again.detail).toContain('was approved and sent before');
    expect(stage.seen).toHaveLength(1);
  });

  it('is asked about on the page that a client with URL elicitation opens, and goes out after its form', async () => {
    const questions: Question[] = [];
    const client = await open({
      capabilities: { elicitation: { url: {}, form: {} } },
      async onQuestion(question) {
        questions.push(question);
        if (question.url !== undefined) await decide(question.url.split('/').at(-1), 'approve');
        return { action: 'accept', content: {} };
      },
    });
    expect((await write(client)).structuredContent).toMatchObject({ status: 200 });
    expect(questions.map(({ mode }) => mode)).toEqual(['url', 'form']);
    expect(questions[0]?.url).toContain(`${stage.gateway.url}/approvals/`);
    expect(stage.seen).toHaveLength(1);
  });

  it('asks once where the page was opened and nothing decided, and says so', async () => {
    let asked = 0;
    const client = await open({
      capabilities: { elicitation: { url: {} } },
      onQuestion: async () => {
        asked += 1;
        return { action: 'accept' };
      },
    });
    expect(refused(await write(client)).code).toBe('approval_required');
    expect([asked, stage.seen.length]).toEqual([1, 0]);
  });

  it('is not sent where the user closes the question, not even if it is approved meanwhile', async () => {
    const client = await open({
      capabilities: { elicitation: { url: {} } },
      async onQuestion({ url }) {
        await decide(url?.split('/').at(-1), 'approve');
        return { action: 'decline' };
      },
    });
    expect(refused(await write(client)).code).toBe('approval_declined');
    expect(stage.seen).toEqual([]);
  });

  it('is answered with URLElicitationRequired in revision 2025-11-25, until it is decided', async () => {
    const client = await open({ capabilities: { elicitation: { url: {} } } }, openEarlierClient);
    const error: unknown = await write(client).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32042, data: { elicitations: [{ mode: 'url' }] } });
    const [id = ''] = /[0-9a-f-]{36}(?=")/.exec(JSON.stringify(error)) ?? [];
    await decide(id, 'approve');
    expect((await write(client)).structuredContent).toMatchObject({ status: 200 });
    const plain = await open({}, openEarlierClient);
    expect(refused(await write(plain)).approvalUrl).toContain('/approvals/');
  });

  it('says that it was refused, and stays unsent', async () => {
    const client = await open();
    const { approvalId } = refused(await write(client));
    await decide(approvalId, 'reject');
    expect(refused(await write(client))).toMatchObject({ code: 'approval_rejected', approvalId });
    expect(stage.seen).toEqual([]);
  });

  it('says that the question before has expired, and asks anew', async () => {
    const client = await open();
    const approvalId = await askAndApprove(client);
    await database.query('UPDATE approvals SET expires_at = now() WHERE id = $1', [approvalId]);
    const answer = refused(await write(client));
    expect([answer.code, answer.approvalId === approvalId]).toEqual(['approval_required', false]);
    expect(answer.detail).toContain('expired');
    expect(stage.seen).toEqual([]);
  });

  it.each([
    ['another body', { body: { title: 'ü \\u0041', n: 2 } }],
    ['the same body written otherwise', { body: JSON.stringify(NOTE.body, null, 1) }],
    ['another path', { path: '/notes/' }],
    ['a query', { query: 'x=1' }],
    ['another method', { method: 'PUT' }],
  ])('is another question with %s', async (_what, changed) => {
    const client = await open();
    const approvalId = await askAndApprove(client);
    const other = refused(await write(client, { ...NOTE, ...changed }));
    expect([other.code, other.approvalId === approvalId]).toEqual(['approval_required', false]);
    expect(stage.seen).toEqual([]);
  });

  it('is another question for another user, and for a client of another name', async () => {
    const approvalId = await askAndApprove(await open());
    const other = `noah-${crypto.randomUUID()}`;
    await stage.connect(other);
    const answers = [
      await write(await open({}, openModernClient, other)),
      await write(await open({ name: 'another-agent' })),
    ];
    for (const answer of answers.map(refused)) {
      expect(answer.code).toBe('approval_required');
      expect(answer.approvalId).not.toBe(approvalId);
    }
    expect(stage.seen).toEqual([]);
  });

  it('is sent once, however many clients repeat it at the same moment', async () => {
    const clients = await Promise.all([1, 2, 3, 4, 5, 6].map(() => open()));
    const [first] = clients;
    if (first === undefined) throw new Error('no client');
    await askAndApprove(first);
    const answers = await Promise.all(clients.map((client) => write(client)));
    const sent = answers.filter(({ isError }) => isError !== true);
    expect([sent.length, stage.seen.length]).toEqual([1, 1]);
    for (const { code } of answers.filter(({ isError }) => isError === true).map(refused))
      expect(['approval_used', 'approval_required']).toContain(code);
  });

  it('shows who asks: the actors of the token, and what the client calls itself', async () => {
    const client = await stage.open({
      token: tokenOf(user, { act: { sub: 'planner', name: 'Planner' } }),
    });
    const { approvalId } = refused(await write(client));
    const shown = await callApiOk(stage.gateway.url, 'GET', `/v1/approvals/${approvalId}`, {
      bearer: stage.project.apiKey,
    });
    expect(shown.asker).toMatchObject({
      actors: [{ id: 'planner', name: 'Planner' }],
      declaredClient: 'test-agent',
    });
    expect(await readPage(approvalId)).toContain('It calls itself test-agent, which nothing proves.');
    const earlier = await open({ name: 'Älterer ⟨client⟩' }, openEarlierClient);
    const second = await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/approvals/${refused(await write(earlier)).approvalId}`,
      { bearer: stage.project.apiKey },
    );
    expect(second.asker.declaredClient).toBe('Älterer ⟨client⟩');
  });

  it('can be approved by nothing that the model holds', async () => {
    const client = await open();
    const { approvalId } = refused(await write(client));
    const bearer = tokenOf(user);
    const { status, body } = await callApi(stage.gateway.url, 'POST', `/v1/approvals/${approvalId}/approve`, {
      bearer,
    });
    expect([status, body.code]).toEqual([403, 'mandate_denied']);
    const named = await write(client, { ...NOTE, approval: approvalId });
    expect(refused(named).code).toBe('invalid_request');
    expect(stage.seen).toEqual([]);
  });
});
