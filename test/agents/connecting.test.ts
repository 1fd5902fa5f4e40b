import {
  type AgentClient,
  openEarlierClient,
  openModernClient,
  type Question,
} from '../support/agent-clients.ts';
import { callApiOk } from '../support/gateway.ts';
import { authorize, CONTACTS, PROVIDER, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
const clients: AgentClient[] = [];
beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await stage.close();
});

type Given = Omit<Parameters<typeof openModernClient>[0], 'address' | 'token'>;

async function open(userId: string, given: Given = {}, openClient = openModernClient) {
  const address = `${stage.gateway.url}/projects/${stage.project.id}/mcp`;
  const client = await openClient({ address, token: stage.project.userToken(userId), ...given });
  clients.push(client);
  return client;
}

const CONTACT = { provider: PROVIDER, path: CONTACTS, query: 'limit=1' };

/** What a person does: connects, and copies the code that the last page makes of its address. */
async function connectAndCopy(url: string): Promise<string> {
  const page = await authorize(stage, url);
  expect(page.url).toContain('/agents/connected#');
  const given = new URLSearchParams(new URL(page.url).hash.slice(1));
  return `${given.get('connect_session')}.${given.get('completion_code')}`;
}

function readLink(answer: { readonly structuredContent?: unknown }): string {
  const url = /"connectUrl":"([^"]+)"/.exec(JSON.stringify(answer.structuredContent))?.[1];
  if (url === undefined) throw new Error(`No link in ${JSON.stringify(answer)}`);
  return url;
}

describe('a call without a connection', () => {
  it('gives a link to a client that opens nothing, and goes on with the code of the last page', async () => {
    const client = await open('ada');
    const missing = await client.callTool('read', CONTACT);
    expect(missing).toMatchObject({ isError: true, structuredContent: { code: 'connection_needed' } });
    const completionCode = await connectAndCopy(readLink(missing));
    expect(await client.callTool('read', CONTACT)).toMatchObject({
      structuredContent: { code: 'connection_needed' },
    });
    const connected = await client.callTool('connect', { provider: PROVIDER, completionCode });
    expect(connected.structuredContent).toMatchObject({ isConnected: true });
    expect((await client.callTool('read', CONTACT)).structuredContent).toMatchObject({ status: 200 });
    expect((await client.callTool('list_connections')).structuredContent).toMatchObject({
      connections: [{ provider: PROVIDER, status: 'active' }],
      connectable: [],
    });
  });

  it('gives the connection the tags that the project takes from claims of the user’s token', async () => {
    const { gateway, project } = stage;
    const bearer = project.apiKey;
    const path = `/v1/projects/${project.id}`;
    await callApiOk(gateway.url, 'PATCH', path, { bearer, body: { tagClaims: ['plan'] } });
    const token = project.userToken('hedy', { claims: { plan: 'pro', team: 'blue' } });
    const client = await openModernClient({ address: `${gateway.url}/projects/${project.id}/mcp`, token });
    clients.push(client);
    const link = readLink(await client.callTool('connect', { provider: PROVIDER }));
    const completionCode = await connectAndCopy(link);
    const connected = await client.callTool('connect', { provider: PROVIDER, completionCode });
    expect(connected.structuredContent).toMatchObject({ isConnected: true });
    const list = `${path}/connections?userId=hedy`;
    const { connections } = await callApiOk(gateway.url, 'GET', list, { bearer });
    expect(connections[0].tags).toEqual({ plan: 'pro' });
  });

  it('connects nothing for another user, who may have sent the link', async () => {
    const attacker = await open('mallory');
    const completionCode = await connectAndCopy(
      readLink(await attacker.callTool('connect', { provider: PROVIDER })),
    );
    const victim = await open('victim');
    const refused = await victim.callTool('connect', { provider: PROVIDER, completionCode });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'connect_session_not_found' },
    });
    // Nor for the attacker without the code, which stands on the victim's screen alone.
    expect(await attacker.callTool('read', CONTACT)).toMatchObject({ isError: true });
  });

  it('asks in a client that opens addresses and has forms, and goes on by itself', async () => {
    const code = Promise.withResolvers<string>();
    const questions: (string | undefined)[] = [];
    const client = await open('grace', {
      capabilities: { elicitation: { url: {}, form: {} } },
      // Clients may show both questions at once: the form waits for what the person copies from the page.
      async onQuestion({ mode, url }: Question) {
        questions.push(mode);
        if (url === undefined) return { action: 'accept', content: { completionCode: await code.promise } };
        code.resolve(await connectAndCopy(url));
        return { action: 'accept' };
      },
    });
    expect((await client.callTool('read', CONTACT)).structuredContent).toMatchObject({ status: 200 });
    expect(questions).toEqual(['url', 'form']);
  });

  it('says so where the user declines', async () => {
    const client = await open('joan', {
      capabilities: { elicitation: { url: {} } },
      onQuestion: async () => ({ action: 'decline' }),
    });
    expect(await client.callTool('read', CONTACT)).toMatchObject({
      isError: true,
      structuredContent: { code: 'connection_declined' },
    });
  });

  it('is answered with URLElicitationRequired in revision 2025-11-25, to a client that declared it', async () => {
    const client = await open('kay', { capabilities: { elicitation: { url: {} } } }, openEarlierClient);
    const refused: unknown = await client.callTool('read', CONTACT).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: -32042,
      data: {
        elicitations: [{ mode: 'url', url: expect.stringContaining(`${stage.gateway.url}/connect/`) }],
      },
    });
    const plain = await open('kay', {}, openEarlierClient);
    expect(readLink(await plain.callTool('read', CONTACT))).toContain('/connect/');
  });
});
