import { createRequest } from '../support/agent-sign-in.ts';
import { callApi, provision } from '../support/gateway.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { createVisitor } from '../support/visitor.ts';

/** Says on standard output which of these a process loads. */
const WATCH = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name === 'oidc-provider') console.log('it loads ' + name);
  return next(name, context);
} });`;

let gateway: SpawnedGateway;

beforeAll(async () => {
  const watch = `data:text/javascript;base64,${Buffer.from(WATCH).toString('base64')}`;
  gateway = await spawnGateway({ env: { NODE_OPTIONS: `--import=${watch}` } });
});
afterAll(() => gateway?.stop());

it('the authorization server is loaded when the first client signs in, and not before', async () => {
  const project = await provision(gateway);
  const door = `/projects/${project.id}/mcp`;
  const bearer = project.userToken('mia');
  const isLoaded = () => gateway.logs().includes('it loads oidc-provider');
  expect((await callApi(gateway.url, 'POST', door, { bearer, body: {} })).status).not.toBe(401);
  expect((await callApi(gateway.url, 'POST', door, { bearer: 'x'.repeat(43), body: {} })).status).toBe(401);
  for (const path of [`oauth-protected-resource${door}`, 'oauth-authorization-server/agents'])
    expect((await callApi(gateway.url, 'GET', `/.well-known/${path}`)).status).toBe(200);
  expect(isLoaded()).toBe(false);
  await createVisitor().get(createRequest(gateway, project, 'https://127.0.0.1:9/client.json').url);
  expect(isLoaded()).toBe(true);
});
