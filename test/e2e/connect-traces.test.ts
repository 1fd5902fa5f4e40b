import { callApiOk } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'keyed']);
});
afterAll(() => stage?.close());

const requestIdOn = (body: string) =>
  /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(body)?.[0];

async function failuresOf(
  sessionId: string,
): Promise<{ action: string; details: Record<string, unknown> }[]> {
  const { activity } = await callApiOk(stage.gateway.url, 'GET', `/v1/activity?subjectId=${sessionId}`, {
    bearer: stage.project.apiKey,
  });
  return activity.filter(({ action }: { action: string }) => action === 'connect_session.failed');
}

const linesWith = (text: string) =>
  stage.gateway
    .logs()
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line));

describe('an authorization that fails', () => {
  it('leaves its code, provider and session in log, activity and metrics, under the request id of the page', async () => {
    stage.provider.answerToken = () => ({
      status: 401,
      body: { error: 'invalid_client', error_description: 'No such application' },
    });
    const session = await stage.start('mia');
    const page = await stage.authorize(session);
    expect(readOutcome(page).message).toMatchObject({ error: 'integration_misconfigured' });
    const requestId = requestIdOn(page.body) ?? 'none';
    const what = {
      code: 'integration_misconfigured',
      providerCode: 'invalid_client',
      providerWords: 'No such application',
      requestId,
      integrationId: stage.integrations.scripted,
    };

    await until(async () => (await failuresOf(session.id)).length === 1);
    const [failure] = await failuresOf(session.id);
    expect(failure?.details).toMatchObject({ ...what, serviceProvider: 'scripted' });

    await until(() => linesWith(requestId).length === 2);
    const [traced, request] = linesWith(requestId);
    expect(traced).toMatchObject({ ...what, provider: 'scripted', connectSessionId: session.id });
    expect(request).toMatchObject({ route: '/oauth/callback', errorCode: 'integration_misconfigured' });

    const metrics = await (await fetch(`${stage.gateway.url}/metrics`)).text();
    expect(metrics).toContain(
      'gateway_connect_failures_total{provider="scripted",error="integration_misconfigured"} 1',
    );
  });

  it('is told apart from one that its user declined', async () => {
    const session = await stage.start('mia');
    const browser = stage.openBrowser();
    const { url } = await browser.open(session.url);
    await browser.open(stage.callbackUrl(new URL(url), { error: 'access_denied' }));
    await until(async () => (await failuresOf(session.id)).length === 1);
    expect((await failuresOf(session.id))[0]?.details).toMatchObject({ code: 'access_denied' });
  });

  it('counts also where the form is shown again, since its user may give up', async () => {
    stage.provider.accepts = () => false;
    const session = await stage.start('mia', { provider: 'keyed' });
    const browser = stage.openBrowser();
    await browser.open(session.url);
    const page = await browser.submit(session.url, { apiKey: 'key-wrong' });
    expect(page.status).toBe(422);
    await until(async () => (await failuresOf(session.id)).length === 1);
    expect((await failuresOf(session.id))[0]?.details).toMatchObject({
      code: 'credentials_refused',
      serviceProvider: 'keyed',
    });
  });

  it('in an unknown session is in the log and the metrics alone', async () => {
    const page = await stage.openBrowser().open(`${stage.gateway.url}/oauth/callback?state=made-up&code=x`);
    const requestId = requestIdOn(page.body) ?? 'none';
    await until(() => linesWith(requestId).length === 2);
    expect(linesWith(requestId)[0]).toMatchObject({ code: 'invalid_state' });
  });

  it('fills no activity log, however often its link is opened', async () => {
    const session = await stage.start('mia');
    await stage.openBrowser().open(session.url);
    for (let count = 0; count < 25; count += 1) await stage.openBrowser().open(session.url);
    await until(async () => (await failuresOf(session.id)).length === 20);
    await until(() => linesWith(session.id).filter(({ code }) => code === 'session_used').length === 25);
    expect(await failuresOf(session.id)).toHaveLength(20);
  });
});
