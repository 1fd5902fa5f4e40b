import { callApiOk } from '../support/gateway.ts';
import { PROVIDER } from './provider.ts';
import { openPage, startSdkStage } from './stage.ts';

const stage = await startSdkStage();
afterAll(stage.close);

const READ = { type: 'gateway_access', provider: PROVIDER, access: 'read' } as const;

it('a page makes a narrower and shorter token of its user’s, which the gateway holds to what it says', async () => {
  const { user, context } = await stage.signInAgain();
  const bearer = stage.project.apiKey;
  const { integrations } = await callApiOk(stage.gateway.url, 'GET', '/v1/integrations', { bearer });
  const integrationId = integrations[0].id;
  const connection = { integrationId, userId: user, credentials: { accessToken: 'access' } };
  await callApiOk(stage.gateway.url, 'POST', '/v1/connections', { bearer, body: connection });
  const page = await openPage(stage, context);
  const { token, left } = await page.evaluate(async (entry) => {
    const made = await window.gateway.exchange({ entries: [entry], expiresIn: 60, actor: 'worker' });
    return { token: made.token, left: made.expiresAt.getTime() - Date.now() };
  }, READ);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(60_000);
  const [, payload = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    ...{ sub: user, act: { sub: 'worker' } },
    authorization_details: [READ],
  });
  const target = `${stage.gateway.proxyUrl}/projects/${stage.project.id}/proxy/${PROVIDER}/things`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(target, { method: 'DELETE', headers });
  expect(answer.headers.get('gateway-error')).toBe('mandate_denied');
  await context.close();
});

it('a page whose token has ended unnoticed exchanges a new one', async () => {
  const { application, project } = stage;
  const { tokenOf } = application;
  const { context } = await stage.signInAgain();
  const page = await openPage(stage, context);
  application.tokenOf = (userId) => {
    application.tokenOf = tokenOf;
    return project.userToken(userId, { expiresInSeconds: -60 });
  };
  const token = await page.evaluate(async () => (await window.gateway.exchange()).token);
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  await context.close();
});

it('a page learns why there is no such token', async () => {
  const { context } = await stage.signInAgain();
  const page = await openPage(stage, context);
  const refused = await page.evaluate(() =>
    window.gateway.exchange({ expiresIn: -1 }).catch(({ name, code, status, requestId }) => ({
      ...{ name, code, status },
      hasRequestId: requestId !== undefined,
    })),
  );
  expect(refused).toEqual({
    ...{ name: 'GatewayError', code: 'invalid_request', status: 400 },
    hasRequestId: true,
  });
  await context.close();
});

it('a page whose origin the token’s project does not allow cannot read the answer, one of another project neither', async () => {
  const { context } = await stage.signInAgain();
  const page = await openPage(stage, context);
  const { gateway, project, application } = stage;
  const update = (id: string, bearer: string, allowedOrigins: string[]) =>
    callApiOk(gateway.url, 'PATCH', `/v1/projects/${id}`, { bearer, body: { allowedOrigins } });
  const exchange = () =>
    page.evaluate(() =>
      window.gateway.exchange().then(
        () => 'made',
        ({ code }) => code,
      ),
    );
  expect(await exchange()).toBe('made');
  const other = await callApiOk(gateway.url, 'POST', '/v1/projects', {
    bearer: project.personalAccessToken,
    body: { name: 'Other', allowedOrigins: [application.url] },
  });
  await update(project.id, project.apiKey, []);
  // The origin is known still, by the other project.
  expect(await exchange()).toBe('network_error');
  await update(other.id, project.personalAccessToken, []);
  expect(await exchange()).toBe('network_error');
  await update(project.id, project.apiKey, [application.url]);
  expect(await exchange()).toBe('made');
  await context.close();
});
