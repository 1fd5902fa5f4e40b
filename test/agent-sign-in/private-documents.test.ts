import { createRequest } from '../support/agent-sign-in.ts';
import { type ClientDocuments, startClientDocuments } from '../support/client-documents.ts';
import { type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { createVisitor } from '../support/visitor.ts';

let documents: ClientDocuments;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  documents = await startClientDocuments();
  gateway = await startGateway({ env: { ALLOW_PRIVATE_NETWORKS: 'false' } });
  project = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await documents?.close();
});

it('a metadata document at an address of the own network is never asked for', async () => {
  const { port } = new URL(documents.origin);
  const path = new URL(documents.add()).pathname;
  const hosts = [
    'localhost',
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
    '0x7f000001',
  ];
  for (const host of hosts) {
    const { url } = createRequest(gateway, project, `https://${host}:${port}${path}`);
    const response = await createVisitor().get(url);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect((await response.json()).error).toBe('invalid_client');
  }
  expect(documents.countRequests()).toBe(0);
});
