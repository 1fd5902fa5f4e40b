import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { answerWithFault, STREAMS, settle, visit, watchRequests } from '../support/dashboard.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { CONTACTS, connectAccount } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { allowInWindow, type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

let stage: DashboardStage;
let page: Page;
let base: string;

beforeAll(async () => {
  // The console calls the proxy on an origin of its own.
  stage = await startDashboardStage({ hasProxyUrl: true });
  page = stage.page;
  base = `/p/${stage.project.id}`;
});
afterAll(() => stage?.close());
afterEach(() => expect(stage?.takeFaults()).toEqual([]));

/** A call of the application, as one of its users. */
const callAs = (userId: string, path: string) =>
  callApi(stage.gateway.proxyUrl, 'GET', `/projects/${stage.project.id}/proxy/demo-crm${path}`, {
    bearer: stage.project.userToken(userId),
  });

/** Calls are stored some seconds after they were made. */
const untilKept = (query: string) =>
  until(async () => {
    const { body } = await callApi(
      stage.gateway.url,
      'GET',
      `/v1/projects/${stage.project.id}/calls?${query}`,
      {
        bearer: stage.project.apiKey,
      },
    );
    return body.calls.length > 0;
  });

const answer = () => page.getByRole('status').filter({ hasText: /\b\d{3}\b/ });

describe('a project without a call', () => {
  it('shows one to send, with its own addresses', async () => {
    await visit(page, `${base}/calls`);
    const proxy = `${stage.gateway.proxyUrl}/projects/${stage.project.id}/proxy/demo-crm${CONTACTS}`;
    await page.getByText(`curl "${proxy}`).waitFor();
  });

  it.each([
    ['hubspot', '/crm/v3/objects/contacts?limit=3'],
    ['gitlab', '/api/v4/user'],
    ['notion', '/v1/users/me'],
  ])(
    'begins with a path that the API of %s has, and so does the integration’s page',
    async (provider, path) => {
      const owned = (where: string, body: unknown) =>
        callApiOk(stage.gateway.url, 'POST', where, { bearer: stage.project.personalAccessToken, body });
      const { id: projectId } = await owned('/v1/projects', { name: provider });
      const client = { clientId: 'client', clientSecret: 'secret', scopes: [] };
      const { id } = await owned('/v1/integrations', { projectId, serviceProvider: provider, ...client });
      const code = page.getByText(`/projects/${projectId}/proxy/${provider}${path}"`);
      await visit(page, `/p/${projectId}/calls`);
      await code.waitFor();
      await visit(page, `/p/${projectId}/integrations/${id}`);
      await code.waitFor();
    },
  );
});

describe('the console', () => {
  it('connects a test account where there is none, and sends a call through the proxy’s own origin', async () => {
    await visit(page, `${base}/console?provider=demo-crm&path=${CONTACTS}`);
    const opening = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Connect a test account' }).click();
    await allowInWindow(await opening);
    await page.getByText('You have no test account').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.getByLabel('Query: Name').fill('limit');
    await page.getByLabel('Query: Value').fill('2');
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().getByText('200').waitFor();
    await answer().getByText('Answer of the provider').waitFor();
    await answer()
      .getByText(/Provider \d/)
      .waitFor();
    await page.getByText('results:').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('tells an error of the gateway from one of the provider', async () => {
    await visit(page, `${base}/console?provider=demo-crm&path=${CONTACTS}&userId=nobody`);
    await page.getByText('nobody has no connection to Demo CRM.').waitFor();
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().getByText('Error of the gateway: connection_not_found').waitFor();
    await page.getByRole('combobox', { name: 'As user' }).selectOption('self');
    await page.getByRole('combobox', { name: 'Path' }).fill('/crm/v3/nothing');
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().getByText('404').waitFor();
    await answer().getByText('Answer of the provider').waitFor();
  });

  it('shows the call as code, and keeps neither queries nor bodies nor tokens in the history', async () => {
    await visit(page, `${base}/console?provider=demo-crm&path=${CONTACTS}`);
    await page.getByRole('combobox', { name: 'Method' }).selectOption('POST');
    await page.getByLabel('Body').fill('{"properties":{"email":"secret@example.test"}}');
    const code = page.getByRole('region', { name: 'Code' });
    const curl = await code.innerText();
    expect(curl).toContain(
      `${stage.gateway.proxyUrl}/projects/${stage.project.id}/proxy/demo-crm${CONTACTS}`,
    );
    expect(curl).toContain('$USER_TOKEN');
    await page.getByRole('combobox', { name: 'Path' }).fill(`${CONTACTS}?key=secret`);
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().getByText('201').waitFor();
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(stored).toContain(CONTACTS);
    expect(stored).not.toMatch(/secret|eyJ/);
  });

  it('begins with the provider that was called last', async () => {
    await callApiOk(stage.gateway.url, 'POST', '/v1/integrations', {
      bearer: stage.project.apiKey,
      body: {
        ...{ serviceProvider: 'hubspot', scopes: ['crm.objects.contacts.read'] },
        ...{ clientId: 'client', clientSecret: 'secret' },
      },
    });
    await visit(page, `${base}/console?provider=hubspot&path=/nothing`);
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().waitFor();
    await visit(page, `${base}/console`);
    const provider = page.getByLabel('Provider', { exact: true });
    expect(await provider.inputValue()).toBe('hubspot');
    await visit(page, `${base}/console?provider=demo-crm`);
    expect(await provider.inputValue()).toBe('demo-crm');
  });

  it('acts as a user of the application, and says so in the audit log', async () => {
    await connectAccount(stage, { userId: 'mia', email: 'carol@contoso.test' });
    await visit(page, `${base}/console?provider=demo-crm&path=${CONTACTS}&userId=mia`);
    await page.getByText('Audited: the activity log shows').waitFor();
    await page.getByRole('button', { name: 'Send call' }).click();
    await answer().getByText('200').waitFor();
    const { body } = await callApi(stage.gateway.url, 'GET', '/v1/activity?action=user_token.created', {
      bearer: stage.project.personalAccessToken,
    });
    expect(body.activity[0]).toMatchObject({ actorKind: 'operator', details: { userId: 'mia' } });
  });

  it('is not for viewers, who see calls and charts', async () => {
    const viewer = await stage.openAsViewer();
    await viewer.goto(`${base}/console`);
    await viewer.getByText('Calls are sent by owners and admins.').waitFor();
    expect(await viewer.getByRole('button', { name: 'Send call' }).count()).toBe(0);
    // The gateway's own refusal before it was a 404 too.
    await untilKept('status=404&origin=provider');
    await viewer.goto(`${base}/calls?period=hour`);
    await viewer.getByRole('table', { name: 'Recent calls' }).getByText('GET /crm/v3/nothing').waitFor();
    await viewer.context().close();
  });
});

describe('the page of calls', () => {
  it('counts calls by outcome, with the same numbers in a table', async () => {
    await visit(page, `${base}/calls?period=hour`);
    await page.getByRole('img', { name: /^Calls by outcome/ }).waitFor();
    await page.getByRole('button', { name: 'Table' }).first().click();
    const table = page.getByRole('region', { name: 'Calls by outcome' });
    await table.getByRole('columnheader', { name: 'Gateway errors' }).waitFor();
    expect(await table.getByRole('row').count()).toBeGreaterThan(1);
    await page.getByRole('table', { name: 'By provider' }).getByText('Demo CRM').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('is where the numbers of Home lead, each with what it counts', async () => {
    await visit(page, base);
    const table = page.getByRole('table', { name: 'Calls', exact: true });
    const row = table.getByRole('row').filter({ hasText: 'Demo CRM' });
    await row.waitFor();
    const hrefs = await row
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href)));
    const queries = hrefs.map(({ pathname, search }) => `${pathname}${search}`);
    expect(queries).toContain(`${base}/calls?provider=demo-crm`);
    const numbers = await row.getByRole('cell').allInnerTexts();
    expect(queries.filter((query) => query === `${base}/calls?provider=demo-crm`)).toHaveLength(2);
    expect({ numbers, links: queries.length }).toEqual({
      numbers,
      links: 2 + numbers.slice(3, 5).filter((number) => number !== '0').length,
    });
    await page
      .getByRole('main')
      .getByRole('link', { name: /calls? in 24 hours/ })
      .click();
    await page.waitForURL((url) => url.pathname === `${base}/calls`);
  });

  it('shows what comes live, holds it while it is paused, and stops', async () => {
    await visit(page, `${base}/calls`);
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await callAs('mia', `${CONTACTS}/live-1`);
    const tail = page.getByRole('list', { name: 'Calls as they come' });
    await tail.getByText('live-1').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await callAs('mia', `${CONTACTS}/live-2`);
    await page.getByText('Paused, 1 new').waitFor();
    expect(await tail.getByText('live-2').count()).toBe(0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await tail.getByText('live-2').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Follow live' }).waitFor();
  });

  it('opens all that is known of a request id: origin, remedy, timing, connection', async () => {
    const refused = await callAs('nobody', CONTACTS);
    const requestId = refused.headers.get('gateway-request-id');
    await untilKept(`requestId=${requestId}`);
    await visit(page, `${base}/calls?search=${requestId}`);
    await page.getByRole('table', { name: 'Recent calls' }).getByText('connection_not_found').click();
    await page.getByText('The gateway answered with an error: connection_not_found').waitFor();
    await page.getByText('none: the call was refused before').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);

    await visit(page, `${base}/calls/0192f0c8-0000-7000-8000-000000000003`);
    await page.getByRole('heading', { name: 'This call is not kept' }).waitFor();
  });

  it('counts what was refused before its provider was known on Home, as no provider', async () => {
    const { headers } = await callAs('nobody', CONTACTS);
    // Numbers are written before the calls of the same time.
    await untilKept(`requestId=${headers.get('gateway-request-id')}`);
    const asked: string[] = [];
    const { pending, stop } = watchRequests(page, (request) => {
      asked.push(decodeURIComponent(request.url()));
      return !STREAMS.test(request.url());
    });
    await visit(page, base);
    const numbers = page.getByRole('table', { name: 'Calls' });
    await numbers.getByText('Refused before a provider was known').waitFor();
    expect(await numbers.getByRole('link', { name: 'none' }).count()).toBe(0);
    await settle(page, pending);
    stop();
    expect(asked.filter((url) => /\/(?:logos|providers)\b.*\bnone\b/.test(url))).toEqual([]);
  });

  it('shows a call of a provider that there is not, without asking for a logo of it', async () => {
    const path = `/projects/${stage.project.id}/proxy/no-such-provider/things`;
    const { headers } = await callApi(stage.gateway.proxyUrl, 'GET', path, {
      bearer: stage.project.userToken('nobody'),
    });
    const requestId = headers.get('gateway-request-id');
    await untilKept(`requestId=${requestId}`);
    const logos: string[] = [];
    const { pending, stop } = watchRequests(page, (request) => {
      if (/\/logos\/.*no-such-provider/.test(request.url())) logos.push(request.url());
      return !STREAMS.test(request.url());
    });
    await visit(page, `${base}/calls?search=${requestId}`);
    await page
      .getByRole('table', { name: 'Recent calls' })
      .getByRole('cell', { name: 'no-such-provider' })
      .waitFor();
    await settle(page, pending);
    stop();
    expect(logos).toEqual([]);
  });

  it('says on Home that nothing is to do once everything has been read', async () => {
    const path = '**/v1/projects/*/overview';
    const answer = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      await answer.promise;
      await answerWithFault(route, 'The gateway broke');
    });
    await visit(page, base);
    const main = page.getByRole('main');
    await main.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await main.innerText()).not.toContain('Nothing needs you');
    answer.resolve();
    await main.getByText('The gateway broke').waitFor();
    expect(await main.innerText()).not.toContain('Nothing needs you');
    await page.unroute(path);
    await main.getByRole('button', { name: 'Try again' }).click();
    await main.getByText('Nothing needs you right now.').waitFor();
    await main.getByText(/^\d+ calls in 24 hours, \d+% errors/).waitFor();
    await main.getByText('The gateway broke').waitFor({ state: 'detached' });
  });
});
