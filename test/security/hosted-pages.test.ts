import { CLIENT, type ConnectingStage, RETURN_URL, startConnectingStage } from '../e2e/connecting-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';

/** Would be an element of the page in text, in an attribute, in a script's data, or in a style. */
const BREAKOUT = `"'></style></script><svg onload=alert(1)>{}`;

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage([]);
  await describeHostileProviders();
});
afterAll(() => stage?.close());

const api = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, `/v1${path}`, { bearer: stage.project.apiKey, body });

/** Two of a project's own providers, every text of which wants to be markup. */
async function describeHostileProviders(): Promise<void> {
  const { url } = stage.provider;
  const texts = { title: BREAKOUT, description: BREAKOUT, example: BREAKOUT };
  const hostile = {
    name: `${BREAKOUT} Ltd`,
    apiBaseUrl: `${url}/api`,
    docsUrl: `https://docs.example/${encodeURIComponent(BREAKOUT)}'"><svg onload=alert(1)>`.replaceAll(
      ' ',
      '',
    ),
    credentialHint: BREAKOUT,
    setupSteps: [BREAKOUT],
    notes: [BREAKOUT],
    variables: {
      team: { ...texts, default: BREAKOUT },
      plan: { ...texts, options: [{ value: BREAKOUT, title: BREAKOUT }] },
    },
  };
  const key = { in: 'header', name: 'X-Key', template: '{apiKey}' };
  const oauth = { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` };
  await api('POST', '/providers', { ...hostile, id: 'keyed', auth: 'api-key', apiKey: key });
  await api('POST', '/providers', { ...hostile, id: 'oauth', auth: 'oauth2', ...oauth, variables: {} });
  await api('POST', '/integrations', { serviceProvider: 'custom:keyed' });
  await api('POST', '/integrations', { serviceProvider: 'custom:oauth', ...CLIENT, scopes: ['read'] });
  await api('PATCH', `/projects/${stage.project.id}`, {
    branding: {
      displayName: `${BREAKOUT} Inc`,
      logoUrl: 'https://logos.example/a.svg?"><svg/onload=alert(1)>',
    },
  });
}

/** Every kind of page, reached as its user reaches it, with hostile texts in its address as well. */
const PAGES: Record<string, () => Promise<{ status: number; body: string; headers: Headers }>> = {
  async choosing() {
    const { url } = await stage.start('mia', { provider: undefined });
    return stage
      .openBrowser()
      .open(`${url}?q=${encodeURIComponent(BREAKOUT)}&locale=${encodeURIComponent(BREAKOUT)}`);
  },
  async form() {
    const { url } = await stage.start('mia', { provider: 'custom:keyed' });
    return stage.openBrowser().open(`${url}?locale=de-${encodeURIComponent(BREAKOUT)}`);
  },
  async 'form with what is wrong'() {
    const { url } = await stage.start('mia', { provider: 'custom:keyed' });
    const browser = stage.openBrowser();
    await browser.open(url);
    return browser.submit(`${url}?locale=es`, { team: `${BREAKOUT}\u0001`, plan: 'none', apiKey: BREAKOUT });
  },
  async 'refusal by the provider'() {
    const session = await stage.start('mia', {
      provider: 'custom:oauth',
      returnUrl: RETURN_URL,
      display: 'popup',
    });
    return stage.authorize(session, {
      code: '',
      error: BREAKOUT,
      error_description: BREAKOUT,
      error_uri: BREAKOUT,
    });
  },
  async 'refused token request'() {
    stage.provider.answerToken = () => ({
      status: 400,
      body: { error: BREAKOUT, error_description: BREAKOUT },
    });
    return stage.authorize(await stage.start('mia', { provider: 'custom:oauth' }));
  },
  async success() {
    stage.provider.answerToken = () => ({
      body: { access_token: 'a', token_type: 'bearer', account_name: BREAKOUT },
    });
    return stage.authorize(await stage.start('mia', { provider: 'custom:oauth' }));
  },
  'unknown link': () =>
    stage.openBrowser().open(`${stage.gateway.url}/connect/${encodeURIComponent(BREAKOUT)}`),
  'stray callback': () =>
    stage
      .openBrowser()
      .open(`${stage.gateway.url}/oauth/callback?state=${encodeURIComponent(BREAKOUT)}&code=x`),
};

describe.each(Object.keys(PAGES))('the page (%s)', (name) => {
  it('escapes every text from outside, and can be neither framed nor cached', async () => {
    const { body, headers } = (await PAGES[name]?.()) ?? { body: '', headers: new Headers() };
    expect(body).toContain('<!doctype html>');
    if (!/^(unknown|stray)/.test(name)) expect(body).toContain('&lt;svg onload=alert(1)&gt;');
    expect(body).not.toMatch(/<svg[^>]*onload/i);
    // Nothing may end a style or a script before its time: as many ends as beginnings.
    for (const tag of ['style', 'script', 'svg', 'form', 'html']) {
      expect([tag, count(body, `<${tag}[ >]`)]).toEqual([tag, count(body, `</${tag}>`)]);
    }
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
    expect(policy).toContain(`default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`);
    expect(policy).toContain("base-uri 'none'; frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|onload/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(count(body, '<script')).toBe(count(body, '<script (type="application/json"|nonce="[\\w-]{22}")'));
  });
});

const count = (text: string, pattern: string): number => [...text.matchAll(new RegExp(pattern, 'g'))].length;

it('a page has a nonce that no other page has', async () => {
  const nonces = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { headers } = await stage.openBrowser().open(`${stage.gateway.url}/connect/none`);
      return headers.get('content-security-policy');
    }),
  );
  expect(new Set(nonces).size).toBe(5);
});

it.each(['de-%00', `de-${'x'.repeat(4000)}`, 'de&locale=es', '%ff', ''])(
  'a link whose language is %j is a page all the same',
  async (locale) => {
    const { url } = await stage.start('mia', { provider: 'custom:keyed' });
    expect((await stage.openBrowser().open(`${url}?locale=${locale}`)).status).toBe(200);
  },
);

it.each([
  ['a logo', { logoUrl: 'https://logos.example; script-src *' }],
  ['a logo', { logoUrl: 'https://*.example/a.png' }],
  ['a logo', { logoUrl: 'javascript:alert(1)' }],
  ['a logo', { logoUrl: 'data:image/svg+xml,<svg/>' }],
  ['a colour', { color: 'red;}body{background:url(https://evil.example)' }],
  ['a colour', { color: '#12345g' }],
])('%s that would be more than that is refused: %j', async (_what, branding) => {
  const { status } = await callApi(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { branding },
  });
  expect(status).toBe(400);
});
