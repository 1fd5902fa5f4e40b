import { callApi, callApiOk, type Project } from '../support/gateway.ts';
import { type HeldStage, provisionConnected, startHeldStage, USER } from '../support/held-stage.ts';

let stage: HeldStage;
let url: string;
let project: Project;

beforeAll(async () => {
  stage = await startHeldStage();
  const gateway = await stage.start();
  url = gateway.url;
  project = await provisionConnected(gateway);
});
afterAll(() => stage?.close());

const mint = async (authorizationDetails: unknown) => {
  const body = { userId: USER, expiresIn: 600, authorizationDetails };
  return callApi(url, 'POST', '/v1/user-tokens', { bearer: project.apiKey, body });
};

const callHeld = async (token: string, method: string, path: string) => {
  const answer = await fetch(`${url}/projects/${project.id}/proxy/held${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, code: answer.headers.get('gateway-error') };
};

it('a minted token does what its mandate says and nothing else, first call and warm ones alike', async () => {
  const { token } = (
    await mint([{ type: 'gateway_access', provider: 'held', access: 'read', paths: ['/a/*'] }])
  ).body;
  for (let round = 0; round < 2; round += 1) {
    expect(await callHeld(token, 'GET', '/a/1')).toEqual({ status: 200, code: null });
    expect(await callHeld(token, 'GET', '/b')).toEqual({ status: 403, code: 'mandate_denied' });
    expect(await callHeld(token, 'DELETE', '/a/1')).toEqual({ status: 403, code: 'mandate_denied' });
  }
});

it('a token with a mandate reads at the management API and changes nothing there', async () => {
  const { token } = (await mint([{ type: 'gateway_access', provider: 'held', access: 'write' }])).body;
  const { connections } = await callApiOk(url, 'GET', '/v1/connections', { bearer: token });
  expect(connections).toHaveLength(1);
  const refused = [
    await callApi(url, 'DELETE', `/v1/connections/${connections[0].id}`, { bearer: token }),
    await callApi(url, 'POST', '/v1/connect-sessions', { bearer: token, body: {} }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'mandate_denied'],
    [403, 'mandate_denied'],
  ]);
});

it('a mandate that is none is refused when the token is asked for', async () => {
  const refused = await mint([{ type: 'gateway_access', provider: 'held', access: 'admin' }]);
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect((await mint([])).status).toBe(400);
});
