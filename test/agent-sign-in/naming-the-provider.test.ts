import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

let gateway: Gateway;
let project: Project;
beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
});
afterAll(() => gateway?.stop());

const path = () => `/v1/projects/${project.id}`;
const keyWith = async (...scopes: string[]): Promise<string> => {
  const body = { name: 'k', scopes };
  return (
    await callApiOk(gateway.url, 'POST', `${path()}/api-keys`, { bearer: project.personalAccessToken, body })
  ).key;
};
const change = (bearer: string, body: object) => callApi(gateway.url, 'PATCH', path(), { bearer, body });
const settingOf = (name: string) => ({
  agentSignIn: { openid: { issuer: `https://${name}.example`, clientId: name, clientSecret: null } },
});

it('an API key names the OpenID provider that speaks for every user only with the scope for that', async () => {
  const weak = await keyWith('projects:write');
  const refused = await change(weak, settingOf('mallory'));
  expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
  expect(refused.body.detail).toContain('`users:tokens`');
  expect((await callApiOk(gateway.url, 'GET', path(), { bearer: weak })).agentSignIn).toBeNull();
  for (const scope of ['users:tokens', 'configuration:write'])
    expect((await change(await keyWith('projects:write', scope), settingOf('one'))).status).toBe(200);
  expect((await change(project.personalAccessToken, settingOf('two'))).status).toBe(200);
});

it('an API key without it changes all else, the same provider given again included', async () => {
  await change(project.personalAccessToken, settingOf('idp'));
  const weak = await keyWith('projects:write');
  const { agentSignIn } = settingOf('idp');
  const again = await change(weak, {
    name: 'New',
    agentSignIn: { ...agentSignIn, dynamicRegistration: true },
  });
  expect([again.status, again.body.name, again.body.agentSignIn?.dynamicRegistration]).toEqual([
    200,
    'New',
    true,
  ]);
  const wider = { openid: { ...agentSignIn.openid, userIdClaim: 'email' } };
  expect((await change(weak, { agentSignIn: wider })).body.code).toBe('scope_missing');
  expect((await change(weak, { agentSignIn: { page: 'https://app.example/sign-in' } })).status).toBe(200);
  expect((await change(weak, { agentSignIn: null })).status).toBe(200);
});
