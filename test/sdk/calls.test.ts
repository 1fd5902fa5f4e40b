import type { BrowserContext, Page } from 'playwright-core';
import { callApiOk } from '../support/gateway.ts';
import { PROVIDER } from './provider.ts';
import { openPage, startSdkStage } from './stage.ts';

let context: BrowserContext;
let page: Page;
let user: string;
const problems: string[] = [];

// The proxy on an origin of its own; the examples and the React page have it on the gateway's.
const stage = await startSdkStage({ hasProxyUrl: true });
afterAll(stage.close);
beforeEach(async () => {
  ({ user, context } = await stage.signInAgain());
  context.on('console', (message) => problems.push(message.text()));
  page = await openPage(stage, context);
});
afterEach(() => context.close());

/** A connection of the user, brought along from elsewhere. */
async function importConnection(accountId: string): Promise<{ id: string }> {
  const { gateway, project } = stage;
  const bearer = project.apiKey;
  const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', { bearer });
  return callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: {
      integrationId: integrations[0].id,
      userId: user,
      credentials: { accessToken: `access-${accountId}`, refreshToken: `refresh-${accountId}` },
      accountId,
      accountName: `${accountId}.test`,
    },
  });
}

describe('fetch', () => {
  it('takes what the platform’s takes and gives the provider’s own answer, under a strict policy', async () => {
    await importConnection('north');
    const answers = await page.evaluate(async (provider) => {
      const headers = new Headers({ 'accept-language': 'eo' });
      const sent = await window.gateway.fetch(provider, '/contacts?limit=5', {
        method: 'POST',
        headers,
        body: new URLSearchParams({ name: 'Ada' }),
      });
      const plain = await window.gateway.fetch(provider, 'contacts//1');
      return [sent instanceof Response, await sent.json(), (await plain.json()).url];
    }, PROVIDER);
    expect(answers).toEqual([
      true,
      { method: 'POST', url: '/api/contacts?limit=5', language: 'eo', body: 'name=Ada' },
      '/api/contacts//1',
    ]);
    expect(problems).toEqual([]);
  });

  it('asks the gateway once where the proxy is, and not at all where it is told', async () => {
    await importConnection('north');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const { gateway, project } = stage;
    const token = project.userToken(user);
    await page.evaluate(
      async ([provider, options]) => {
        await Promise.all([1, 2].map(() => window.gateway.fetch(provider, 'contacts')));
        await window.sdk.createGateway(options).fetch(provider, 'contacts');
      },
      [
        PROVIDER,
        { url: gateway.url, proxyUrl: `${gateway.proxyUrl}/`, projectId: project.id, token },
      ] as const,
    );
    expect(asked.filter((path) => path.startsWith('/.well-known/'))).toEqual([
      '/.well-known/integration-gateway',
    ]);
  });

  it('without a network fails with a code, and finds the way once it is back', async () => {
    await importConnection('north');
    const statusOf = () =>
      page.evaluate(
        (provider) =>
          window.gateway.fetch(provider, 'contacts').then(
            ({ status }) => status,
            ({ code }) => code,
          ),
        PROVIDER,
      );
    await context.setOffline(true);
    expect(await statusOf()).toBe('network_error');
    await context.setOffline(false);
    expect(await statusOf()).toBe(200);
  });

  it('never leads out of the provider’s API, whatever the path holds', async () => {
    await importConnection('north');
    const failures = await page.evaluate(
      ([provider]) =>
        Promise.all(
          ['../other/x', '/a/../../../../../v1/connections', 'a/%2E%2e/..\\..\\x', '.\t./x'].map((path) =>
            window.gateway.fetch(provider, path).then(
              () => 'sent',
              ({ message }: Error) => message,
            ),
          ),
        ),
      [PROVIDER] as const,
    );
    expect(failures).toEqual(Array(4).fill('The path leads out of the API.'));
  });

  it('streams, and ends the call at the provider when it is aborted', async () => {
    await importConnection('north');
    const [first, failure] = await page.evaluate(async (provider) => {
      const calling = new AbortController();
      const response = await window.gateway.fetch(provider, 'stream', { signal: calling.signal });
      const reader = response.body?.getReader();
      const chunk = await reader?.read();
      calling.abort();
      const rest = await reader?.read().catch((error) => error.name);
      return [new TextDecoder().decode(chunk?.value), rest];
    }, PROVIDER);
    expect([first, failure]).toEqual(['first', 'AbortError']);
    await stage.provider.callerLeft;
  });

  it('uses the connection that is named where there are several, and rejects with what the gateway refuses', async () => {
    await importConnection('north');
    const { id } = await importConnection('south');
    const answers = await page.evaluate(
      async ([provider, connectionId]) => {
        const ambiguous = await window.gateway
          .fetch(provider, 'contacts')
          .catch((error) => [error instanceof window.sdk.GatewayError, error.status, error.code]);
        const chosen = await window.gateway.fetch(provider, 'contacts', { connectionId });
        return [ambiguous, chosen.status];
      },
      [PROVIDER, id] as const,
    );
    expect(answers).toEqual([[true, 409, 'connection_ambiguous'], 200]);
  });
});

describe('the token function', () => {
  const list = (times: number) =>
    page.evaluate(async (count) => {
      await Promise.all(Array.from({ length: count }, () => window.gateway.connections()));
    }, times);

  it('is asked once while its token lasts, and again when that is about to expire', async () => {
    const { tokenRequests } = stage.application;
    tokenRequests.length = 0;
    await list(3);
    await list(2);
    expect(tokenRequests).toEqual([user]);

    const { tokenOf } = stage.application;
    stage.application.tokenOf = (userId) => stage.project.userToken(userId, { expiresInSeconds: 20 });
    try {
      await page.reload();
      await page.waitForFunction(() => 'gateway' in window);
      await list(1);
      await list(1);
      expect(tokenRequests).toHaveLength(3);
    } finally {
      stage.application.tokenOf = tokenOf;
    }
  });

  it.each([
    ['expired', { expiresInSeconds: -60 }],
    ['revoked', { claims: { jti: 'ended' } }],
  ])(
    'is asked again when the gateway finds the token %s, and the call is sent again',
    async (_what, options) => {
      const { application, gateway, project } = stage;
      const { tokenOf } = application;
      await importConnection('north');
      await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, {
        bearer: project.apiKey,
        body: { jti: 'ended' },
      });
      application.tokenOf = (userId) => {
        application.tokenOf = tokenOf;
        return project.userToken(userId, options);
      };
      const answer = await page.evaluate(async (provider) => {
        const response = await window.gateway.fetch(provider, 'contacts', { method: 'PUT', body: 'again' });
        return (await response.json()).body;
      }, PROVIDER);
      expect(answer).toBe('again');
    },
  );

  it('may fail, which fails that call and no later one', async () => {
    const failure = page.evaluate(async () => {
      let asked = 0;
      const gateway = window.sdk.createGateway({
        url: 'http://127.0.0.1:9',
        projectId: 'unused',
        token: async () => {
          asked += 1;
          throw new RangeError('signed out');
        },
      });
      const messages = [];
      for (const _ of [1, 2]) messages.push(await gateway.connections().catch((error) => error.message));
      return [asked, ...messages];
    });
    expect(await failure).toEqual([2, 'signed out', 'signed out']);
  });
});

describe('what the user has', () => {
  it('is listed, filtered, disconnected, and every tab is notified', async () => {
    const { id } = await importConnection('north');
    const elsewhere = await openPage(stage, context);
    const asking = page.waitForRequest('**/v1/connections?**');
    const listed = await page.evaluate(async () => [
      (await window.gateway.connections({ status: 'active' })).map((one) => one.accountName),
      (await window.gateway.connections({ serviceProvider: 'other' })).length,
    ]);
    expect(listed).toEqual([['north.test'], 0]);
    // For users whose tokens come from an identity provider, and name no project.
    expect((await asking).headers()['gateway-project']).toBe(stage.project.id);

    await page.evaluate((connectionId) => window.gateway.disconnect(connectionId), id);
    const event = { type: 'connection.deleted', connectionId: id };
    for (const tab of [page, elsewhere]) {
      await tab.waitForFunction(() => window.events.length > 0);
      expect(await tab.evaluate(() => window.events)).toEqual([event]);
    }
    expect(await elsewhere.evaluate(() => window.gateway.connections())).toEqual([]);
  });

  it('may come of integrations that have a name and a logo to show, asked for once', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const shown = await page.evaluate(async () => {
      await window.gateway.integrations();
      return (await window.gateway.integrations()).map(({ name, logoUrl, serviceProvider }) => ({
        name,
        logoUrl,
        serviceProvider,
      }));
    });
    const logoUrl = `${stage.gateway.url}/logos/${PROVIDER}.svg`;
    expect(shown).toEqual([{ name: 'Test CRM', logoUrl, serviceProvider: PROVIDER }]);
    expect(asked.filter((path) => path === '/v1/providers')).toHaveLength(1);
  });

  it('cannot be asked for without a network, which has a code of its own', async () => {
    await context.setOffline(true);
    const failure = await page.evaluate(() =>
      window.sdk
        .createGateway({ url: 'http://127.0.0.1:9', projectId: 'unused', token: 'unused' })
        .connections()
        .catch(({ name, status, code }) => ({ name, status, code })),
    );
    expect(failure).toEqual({ name: 'GatewayError', status: 0, code: 'network_error' });
  });
});

it('an origin that the project does not allow is named as a likely cause where no answer can be read', async () => {
  const elsewhere = await context.newPage();
  await elsewhere.goto(stage.application.url.replace('127.0.0.1', 'localhost'));
  const failures = await elsewhere.evaluate(
    async ([url = '', projectId = '', provider = '']) => {
      const gateway = window.sdk.createGateway({ url, projectId, token: 'unused' });
      const outcomes = await Promise.allSettled([gateway.connections(), gateway.fetch(provider, 'contacts')]);
      return outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message);
    },
    [stage.gateway.url, stage.project.id, PROVIDER],
  );
  expect(failures).toEqual(Array(2).fill(expect.stringContaining('missing among the allowedOrigins')));
  await elsewhere.close();
});

describe('the SDK’s address', () => {
  it.each(['connect.js', 'connect.global.js'])('serves %s to every origin, and once', async (name) => {
    const url = `${stage.gateway.url}/sdk/${name}`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    const size = response.headers.get('content-length');
    expect(Number(size)).toBeGreaterThan(1_000);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, size]);
    const held = { 'if-none-match': response.headers.get('etag') ?? '' };
    const again = await fetch(url, { headers: held });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });
});
