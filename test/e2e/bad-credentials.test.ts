import { createOpaqueToken } from '../../src/lib/opaque-tokens.ts';
import { callApi, type Project } from '../support/gateway.ts';
import {
  callProvider,
  type HeldStage,
  provisionConnected,
  startHeldStage,
  USER,
} from '../support/held-stage.ts';

let stage: HeldStage;
let url: string;
let project: Project;

beforeAll(async () => {
  stage = await startHeldStage();
  const gateway = await stage.start({ env: { RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: '40' } });
  url = gateway.url;
  project = await provisionConnected(gateway);
});
afterAll(() => stage?.close());

const list = (bearer: string) => callApi(url, 'GET', `/v1/projects/${project.id}/connections`, { bearer });
const own = (bearer: string) => callApi(url, 'GET', '/v1/connections', { bearer });

describe('wrong credentials from one address', () => {
  it('do not lock out others: keys, operators and users go on, also with their first call', async () => {
    const { key } = (
      await callApi(url, 'POST', `/v1/projects/${project.id}/api-keys`, {
        bearer: project.personalAccessToken,
        body: { name: 'never used before' },
      })
    ).body;
    const guesses = Array.from({ length: 120 }, (_, index) =>
      index % 2 === 0 ? createOpaqueToken('igk_').token : createOpaqueToken('igo_').token,
    );
    const statuses = [];
    for (const guess of guesses) statuses.push((await list(guess)).status);
    expect(statuses.slice(0, 40)).toEqual(Array(40).fill(401));
    expect(statuses.slice(45)).toEqual(Array(75).fill(429));
    for (const bearer of [project.apiKey, project.personalAccessToken, key]) {
      expect((await list(bearer)).status).toBe(200);
    }
    expect((await own(project.userToken('first call'))).status).toBe(200);
    const refused = await list(guesses[0] ?? '');
    expect(refused.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('that are forged user tokens end in 429, while the users go on', async () => {
    expect((await callProvider({ url }, project, '/')).status).toBe(200);
    const token = project.userToken('target');
    const forged = (index: number) =>
      `${token.slice(0, -10)}${String(index).padStart(8, '0')}${token.slice(-2)}`;
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        fetch(`${url}/projects/${project.id}/proxy/held/`, {
          headers: { authorization: `Bearer ${forged(index)}` },
        }),
      ),
    );
    const more = await fetch(`${url}/projects/${project.id}/proxy/held/`, {
      headers: { authorization: `Bearer ${forged(999)}` },
    });
    expect([...answers, more].every(({ status }) => status === 401 || status === 429)).toBe(true);
    expect([more.status, more.headers.get('gateway-error'), more.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    expect((await callProvider({ url }, project, '/')).status).toBe(200);
    // Unknown so far, and behind the same address: the second try at the latest.
    const call = (bearer: string) =>
      fetch(`${url}/projects/${project.id}/proxy/held/`, { headers: { authorization: `Bearer ${bearer}` } });
    const newcomer = project.userToken(USER, { claims: { jti: 'newcomer' } });
    const first = await call(newcomer);
    if (first.status !== 200) {
      expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect((await call(newcomer)).status).toBe(200);
    }
  });
});
