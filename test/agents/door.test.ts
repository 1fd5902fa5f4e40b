import { type AgentClient, openEarlierClient, openModernClient } from '../support/agent-clients.ts';
import { CONTACTS, connectAccount, PROVIDER, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
const clients: AgentClient[] = [];

beforeAll(async () => {
  stage = await startStage();
  await connectAccount(stage, { userId: 'ada' });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await stage.close();
});

const address = () => `${stage.gateway.url}/projects/${stage.project.id}/mcp`;

async function open(openClient: typeof openModernClient, userId = 'ada', claims?: Record<string, unknown>) {
  const token = stage.project.userToken(userId, claims && { claims });
  const client = await openClient({ address: address(), token });
  clients.push(client);
  return client;
}

describe.each([
  ['2026-07-28', openModernClient],
  ['2025-11-25', openEarlierClient],
])('an agent whose client speaks %s', (_revision, openClient) => {
  it('reads with the connection of its user', async () => {
    const client = await open(openClient);
    const answer = await client.callTool('read', { provider: PROVIDER, path: CONTACTS, query: 'limit=2' });
    expect(answer.structuredContent).toMatchObject({ source: 'provider', provider: PROVIDER, status: 200 });
    expect(answer.structuredContent).toHaveProperty('body.results.length', 2);
  });

  it('gets the same five tools in the same bytes, whoever its user is', async () => {
    const [ada, ben] = await Promise.all([open(openClient), open(openClient, 'ben')]);
    const [ofAda, ofBen] = await Promise.all([ada.listTools(), ben.listTools()]);
    expect(ofAda.tools.map(({ name }) => name)).toEqual([
      'list_connections',
      'connect',
      'find_operations',
      'read',
      'write',
    ]);
    expect(JSON.stringify(ofBen.tools)).toBe(JSON.stringify(ofAda.tools));
  });
});
