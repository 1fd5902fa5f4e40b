import type { HttpBrowser, Page } from '../examples/http-browser.ts';
import { readOutcome } from '../support/stage.ts';
import { answerTokens } from './connecting-provider.ts';
import { type ConnectingStage, RETURN_URL, type Session, startConnectingStage } from './connecting-stage.ts';

const TOO_LONG = 'x'.repeat(8193);

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'unproven']);
});
beforeEach(() => {
  stage.provider.answerToken = () => answerTokens('north');
});
afterAll(() => stage?.close());

type Flow = { session: Session; browser: HttpBrowser; request: URL };

async function begin(body: Record<string, unknown> = {}): Promise<Flow> {
  const session = await stage.start('mia', body);
  const browser = stage.openBrowser();
  return { session, browser, request: await stage.follow(session, browser) };
}

/** Does something and tells what it came to and how many token requests it caused. */
async function tokenCallsOf<Result>(action: () => Promise<Result>): Promise<[Result, number]> {
  const before = stage.provider.tokenCalls.length;
  const result = await action();
  return [result, stage.provider.tokenCalls.length - before];
}

async function expectStillGood({ request, browser }: Flow): Promise<void> {
  expect(readOutcome(await stage.answer(request, browser)).message.status).toBe('success');
}

const stateOf = ({ request }: Flow) => request.searchParams.get('state') ?? '';

describe('a callback in another browser than the one that opened the link', () => {
  it.each([
    ['without any cookie', () => Promise.resolve(stage.openBrowser())],
    ['with the cookie of another session', async () => (await begin()).browser],
  ])(
    '%s is refused with 403, no token request is made, and the authorization is over for every browser',
    async (_, open) => {
      const flow = await begin();
      const other = await open();
      const [page, calls] = await tokenCallsOf(() => stage.answer(flow.request, other));
      expect([page.status, calls]).toEqual([403, 0]);
      expect(page.body).toContain('started in another browser');
      const [late, callsLater] = await tokenCallsOf(() => stage.answer(flow.request, flow.browser));
      expect([late.status, callsLater]).toEqual([403, 0]);
      expect((await flow.browser.open(flow.session.url)).status).not.toBe(200);
    },
  );

  it('is refused also where that browser made up the cookie', async () => {
    const flow = await begin();
    const cookie = `gateway_connect_${flow.session.id.replaceAll('-', '')}=${'A'.repeat(43)}`;
    const url = stage.callbackUrl(flow.request, { code: 'the-code' });
    const [response, calls] = await tokenCallsOf(() => fetch(url, { headers: { cookie } }));
    expect([response.status, calls]).toEqual([403, 0]);
    await response.text();
  });
});

describe('the state of an authorization', () => {
  it('is not used up by a HEAD request', async () => {
    const flow = await begin();
    const cookie = flow.browser
      .cookies()
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const url = stage.callbackUrl(flow.request, { code: 'the-code' });
    const [head, calls] = await tokenCallsOf(() => fetch(url, { method: 'HEAD', headers: { cookie } }));
    expect([head.status, calls]).toEqual([200, 0]);
    await expectStillGood(flow);
  });

  it('is refused with 403 where it is unknown', async () => {
    const { browser, request } = await begin();
    const [page, calls] = await tokenCallsOf(() => stage.answer(request, browser, { state: 'made-up' }));
    expect([page.status, calls]).toEqual([403, 0]);
    const error = { state: 'made-up', error: 'access_denied', error_description: 'words of a stranger' };
    const url = `${stage.gateway.url}/oauth/callback?${new URLSearchParams(error)}`;
    const refused = await browser.open(url);
    expect(refused.status).toBe(403);
    expect(refused.body).not.toContain('words of a stranger');
  });

  it('works once', async () => {
    const { browser, request } = await begin();
    await stage.answer(request, browser);
    const [again, calls] = await tokenCallsOf(() => stage.answer(request, browser));
    expect([again.status, calls]).toEqual([403, 0]);
  });

  it('works once also where twenty callbacks come at the same moment', async () => {
    const { browser, request } = await begin();
    const [pages, calls] = await tokenCallsOf(() =>
      Promise.all(Array.from({ length: 20 }, () => stage.answer(request, browser))),
    );
    const counts = [200, 403].map((status) => pages.filter((page) => page.status === status).length);
    expect([counts, calls]).toEqual([[1, 19], 1]);
  });

  it('is good only at the integration’s own callback address', async () => {
    const flow = await begin();
    const url = stage.callbackUrl(flow.request, { code: 'the-code' });
    const elsewhere = url.replace('/oauth/callback', `/oauth/callback/${stage.integrations.scripted}`);
    const [page, calls] = await tokenCallsOf(() => flow.browser.open(elsewhere));
    expect([page.status, calls]).toEqual([403, 0]);
    await expectStillGood(flow);
  });
});

describe('a malformed answer', () => {
  const good = (flow: Flow): [string, string][] => [
    ['code', 'the-code'],
    ['state', stateOf(flow)],
    ['iss', stage.provider.url],
  ];
  const changes: [string, (pairs: [string, string][]) => [string, string][]][] = [];
  for (const name of ['code', 'state', 'iss']) {
    const isIt = ([key]: [string, string]) => key === name;
    const replaced = (value: string) => (pairs: [string, string][]) =>
      pairs.map((pair): [string, string] => (isIt(pair) ? [name, value] : pair));
    changes.push([`${name} twice`, (pairs) => [...pairs, ...pairs.filter(isIt)]]);
    changes.push([`${name} empty`, replaced('')]);
    changes.push([`${name} longer than 8 KiB`, replaced(TOO_LONG)]);
  }
  changes.push(['neither code nor error', (pairs) => pairs.slice(1)]);
  changes.push(['code and error', (pairs) => [...pairs, ['error', 'access_denied']]]);

  it.each(changes)(
    'with %s is a 400 and no token request, by GET and by POST, and uses nothing up',
    async (_, change) => {
      const flow = await begin();
      const parameters = new URLSearchParams(change(good(flow)));
      const callback = `${stage.gateway.url}/oauth/callback`;
      const cookie = flow.browser
        .cookies()
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ');
      for (const send of [
        () => fetch(`${callback}?${parameters}`, { headers: { cookie } }),
        () => fetch(callback, { method: 'POST', body: parameters, headers: { cookie } }),
      ]) {
        const [response, calls] = await tokenCallsOf(send);
        expect([response.status, calls]).toEqual([400, 0]);
        expect(await response.text()).not.toContain('the-code');
      }
      await expectStillGood(flow);
    },
  );

  it('names another issuer (RFC 9207): the authorization ends, and no code is exchanged', async () => {
    const { browser, request } = await begin();
    const [page, calls] = await tokenCallsOf(() =>
      stage.answer(request, browser, { iss: 'https://evil.example' }),
    );
    expect([readOutcome(page).message.error, calls]).toEqual(['invalid_callback', 0]);
    expect((await stage.answer(request, browser)).status).toBe(403);
  });

  it.each([
    ['https://evil.example', 'invalid_callback'],
    [undefined, 'access_denied'],
  ])('with an error from the issuer %s ends with %s', async (iss, expected) => {
    const flow = await begin();
    const issuer: Record<string, string> = iss === undefined ? {} : { iss };
    const answer = new URLSearchParams({ error: 'access_denied', state: stateOf(flow), ...issuer });
    const page = await flow.browser.open(`${stage.gateway.url}/oauth/callback?${answer}`);
    expect(readOutcome(page).message.error).toBe(expected);
  });

  it('is not what a code with any printable character makes', async () => {
    const { request, browser } = await begin();
    const code = '4/0A?b&c=d+e%2F#f é';
    const query = new URLSearchParams({ code, state: request.searchParams.get('state') ?? '' });
    await browser.open(`${stage.gateway.url}/oauth/callback?${query.toString().replace('%3F', '?')}`);
    expect(stage.provider.tokenCalls.at(-1)?.form.get('code')).toBe(code);
  });

  it('is none where the right issuer is named, or none', async () => {
    for (const parameters of [{ iss: stage.provider.url }, {}]) {
      const { browser, request } = await begin();
      const page = await stage.answer(request, browser, parameters);
      expect(readOutcome(page).message.status).toBe('success');
    }
  });
});

describe('an answer by POST (response_mode=form_post)', () => {
  it('comes without the cookie and goes on as a GET, which has it', async () => {
    const { request, browser } = await begin();
    const callback = `${stage.gateway.url}/oauth/callback`;
    const body = new URLSearchParams({ code: 'the-code', state: request.searchParams.get('state') ?? '' });
    const [posted, calls] = await tokenCallsOf(() =>
      fetch(callback, { method: 'POST', body, redirect: 'manual' }),
    );
    expect([posted.status, calls]).toEqual([303, 0]);
    expect(posted.headers.get('cache-control')).toBe('no-store');
    const location = new URL(posted.headers.get('location') ?? '', callback).href;
    expect(readOutcome(await browser.open(location)).message.status).toBe('success');
  });

  it('that is longer than an address may be ends in a page, not behind a redirect that is refused', async () => {
    const body = new URLSearchParams({ state: 'a'.repeat(8_000), code: 'b'.repeat(7_900) });
    const callback = `${stage.gateway.url}/oauth/callback`;
    const posted = await fetch(callback, { method: 'POST', body, redirect: 'manual' });
    expect([posted.status, posted.headers.get('location')]).toEqual([400, null]);
    expect(posted.headers.get('gateway-error')).toBe('invalid_callback');
    expect(await posted.text()).toContain('<html');
  });
});

describe('an error from the provider', () => {
  it.each([
    ['access_denied', 'access_denied', 403],
    ['invalid_scope', 'integration_misconfigured', 400],
    ['unauthorized_client', 'integration_misconfigured', 400],
    ['server_error', 'provider_error', 400],
    ['temporarily_unavailable', 'provider_error', 400],
    ['<b>made up</b>', 'provider_error', 400],
  ])(
    '%s ends in a clear page and the code %s with %d, without the provider’s own words',
    async (error, code, status) => {
      const { browser, request } = await begin();
      const more = { error_description: '<script>alert(1)</script>', error_uri: 'https://evil.example/' };
      const callback = new URL(stage.callbackUrl(request, { error, ...more }));
      const [page, calls] = await tokenCallsOf(() => browser.open(callback.href));
      // Never 5xx: servers in front put pages of their own in the place of those.
      expect([page.status, calls]).toEqual([status, 0]);
      expect(readOutcome(page).message).toMatchObject({ status: 'error', error: code });
      expect(page.body).not.toMatch(/alert\(1\)|evil\.example|made up/);
      expect(page.body).toContain('Not connected');
    },
  );

  it('goes to the return URL as a code in its fragment', async () => {
    const { session, browser, request } = await begin({ returnUrl: RETURN_URL });
    const page = await browser.open(stage.callbackUrl(request, { error: 'access_denied' }));
    expect(page.url).toBe(`${RETURN_URL}#connect_session=${session.id}&error=access_denied`);
  });
});

describe('an answer of the token endpoint that brings no usable tokens', () => {
  it.each([
    [
      'a dead code',
      'provider_error',
      {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'no code SECRET-TOKEN-0123456789 here' },
      },
    ],
    ['a refused client', 'integration_misconfigured', { status: 401, body: { error: 'invalid_client' } }],
    [
      'an error under 200',
      'provider_error',
      { body: { error: 'bad_verification_code', access_token: 'SECRET' } },
    ],
    ['an outage', 'provider_error', { status: 503, body: 'SECRET' }],
    ['a token that is none', 'provider_error', { body: { access_token: ['SECRET'], token_type: 'bearer' } }],
    [
      'another kind of token',
      'provider_error',
      answerTokens('north', { token_type: 'mac', access_token: 'SECRET' }),
    ],
  ])(
    '%s ends in %s; the provider’s words are not shown, and what looks like a credential is not logged',
    async (_, code, answer) => {
      stage.provider.answerToken = () => answer;
      const page: Page = await stage.authorize(await stage.start('mia'));
      expect(readOutcome(page).message).toMatchObject({ status: 'error', error: code });
      expect(page.body).not.toContain('SECRET');
      expect(stage.gateway.logs()).not.toContain('SECRET');
    },
  );
});
