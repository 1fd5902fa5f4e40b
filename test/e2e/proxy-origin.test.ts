import { callApi, callApiOk } from '../support/gateway.ts';
import { type HeldStage, provisionConnected, startHeldStage, USER } from '../support/held-stage.ts';

let stage: HeldStage;

beforeAll(async () => {
  stage = await startHeldStage();
});
afterAll(() => stage?.close());

it('a proxied call’s line in the log tells whose it is and which trace it belongs to, by ids alone', async () => {
  const gateway = await stage.start();
  const project = await provisionConnected(gateway);
  const bearer = project.userToken(USER);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const answer = await fetch(`${gateway.proxyUrl}/projects/${project.id}/proxy/held/x?secret=1`, {
    headers: { authorization: `Bearer ${bearer}`, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  await answer.text();
  const requestId = answer.headers.get('gateway-request-id') ?? '';
  const lineOf = () =>
    gateway
      .logs()
      .split('\n')
      .find((line) => line.includes(requestId));
  while (lineOf() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  const { connections } = await callApiOk(gateway.url, 'GET', '/v1/connections', { bearer });
  expect(JSON.parse(lineOf() ?? '')).toMatchObject({
    requestId,
    traceId,
    principal: 'end_user',
    principalId: connections[0].integrationUserId,
    connectionId: connections[0].id,
    provider: 'held',
    status: 200,
  });
  expect(lineOf()).not.toMatch(/secret|mia/);
});

describe.each([
  ['on the gateway’s origin', false],
  ['on an origin of its own', true],
])('with the proxy %s', (_where, hasProxyUrl) => {
  it('calls are answered there, and every address that is shown leads there', async () => {
    const gateway = await stage.start({ hasProxyUrl });
    const project = await provisionConnected(gateway);
    const path = `/projects/${project.id}/proxy/held/x`;
    const headers = { authorization: `Bearer ${project.userToken(USER)}` };
    const answer = await fetch(gateway.proxyUrl + path, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'at once']);

    const wellKnown = await fetch(`${gateway.url}/.well-known/integration-gateway`);
    expect(wellKnown.headers.get('access-control-allow-origin')).toBe('*');
    expect(await wellKnown.json()).toEqual({
      publicUrl: gateway.url,
      apiUrl: `${gateway.url}/v1`,
      proxyUrl: gateway.proxyUrl,
    });
    const { info, servers } = await callApiOk(gateway.url, 'GET', '/openapi.json');
    expect(info.description).toContain(`ANY ${gateway.proxyUrl}/projects/`);
    expect(servers).toEqual([{ url: `${gateway.url}/v1` }]);

    if (!hasProxyUrl) return;
    // The gateway's own page may call the proxy, which to its browser is another origin.
    const preflight = await fetch(gateway.proxyUrl + path, {
      method: 'OPTIONS',
      headers: { origin: gateway.url, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(gateway.url);
    expect((await callApi(gateway.url, 'GET', path, { bearer: project.userToken(USER) })).status).toBe(404);
    const others = ['/', '/v1/providers', '/openapi.json', '/docs', '/sdk/connect.js', '/livez', '/metrics'];
    const more = [
      '/connect/x',
      '/oauth/callback',
      '/setup',
      '/logos/hubspot.svg',
      '/.well-known/integration-gateway',
    ];
    for (const other of [...others, ...more]) {
      const { status, body } = await callApi(gateway.proxyUrl, 'GET', other);
      expect([other, status, body.detail]).toEqual([
        other,
        404,
        'Only proxied calls are answered on this origin.',
      ]);
    }
  });
});
