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

describe('a token whose entries make it too long for every door', () => {
  const entriesOf = (length: number) => {
    const paths = ['/a/*', `/${'x'.repeat(400)}`, `/${'y'.repeat(length % 400)}`];
    for (let left = length; left >= 400; left -= 400) paths.push(`/${'z'.repeat(399)}`);
    return [{ type: 'gateway_access', provider: 'held', access: 'read', paths }];
  };

  /** The longest paths that a token is minted with. */
  async function findEdge(): Promise<number> {
    let [minted, refused] = [1_000, 7_000];
    while (refused - minted > 1) {
      const middle = Math.floor((minted + refused) / 2);
      if ((await mint(entriesOf(middle))).status === 201) minted = middle;
      else refused = middle;
    }
    return minted;
  }

  it('is not minted, and the refusal names the remedy; the longest one that is minted counts', async () => {
    const edge = await findEdge();
    const refused = await mint(entriesOf(edge + 1));
    expect(refused.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'body.authorizationDetails', message: expect.stringContaining('mandateId') }],
    });
    const { token } = (await mint(entriesOf(edge))).body;
    expect(token.length).toBeGreaterThan(8_192 - 4);
    expect(await callHeld(token, 'GET', '/a/1')).toEqual({ status: 200, code: null });
    expect(await callHeld(token, 'GET', '/b')).toEqual({ status: 403, code: 'mandate_denied' });
  });

  it('is not made of another one, which grows by what it was made of', async () => {
    const { token } = (await mint(entriesOf(await findEdge()))).body;
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
    const refused = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining('mandateId') },
    ]);
  });
});
