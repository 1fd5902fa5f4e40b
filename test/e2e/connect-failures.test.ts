import type { Page } from '../examples/http-browser.ts';
import { startConnectingStage } from './connecting-stage.ts';

const stage = await startConnectingStage(['scripted']);
afterAll(stage.close);

/** Title, explanation, advice and technical details of a page that says why there is no connection. */
function wordsOf({ body }: Page) {
  const [, title, text] = /<h1>([^<]*)<\/h1>\n<p class="lead">([^<]*)<\/p>/.exec(body) ?? [];
  const [, advice] = /<div class="advice"><h2>[^<]*<\/h2><p>([^<]*)<\/p>/.exec(body) ?? [];
  const details = [...body.matchAll(/<dt>([^<]*)<\/dt><dd><code>([^<]*)<\/code>/g)].map(
    ([, term, value]) => [term, value] as const,
  );
  return { title, text, advice, details: Object.fromEntries(details) };
}

async function comeBack(parameters: Record<string, string>): Promise<Page> {
  const browser = stage.openBrowser();
  const request = await stage.follow(await stage.start('mia'), browser);
  return browser.open(stage.callbackUrl(request, parameters));
}

describe('an error from the provider', () => {
  it.each([
    ['access_denied', '', 'Access was not granted'],
    ['access_denied', 'AADSTS90094: admin', 'An administrator has to agree'],
    ['consent_required', '', 'An administrator has to agree'],
    ['login_required', '', 'You were not signed in'],
    ['invalid_scope', '', 'The application asks for too much'],
    ['unauthorized_client', '', 'The application is not approved'],
    ['invalid_request', 'redirect_uri is not registered', 'The application is not set up correctly'],
    ['server_error', '', 'A fault at the provider'],
    ['temporarily_unavailable', '', 'Not available at the moment'],
    ['made_up_by_them', '', 'The provider answered with an error'],
  ])('%s (%s) says “%s”, what to do, and for who helps the codes', async (error, description, title) => {
    const words = wordsOf(await comeBack({ error, error_description: description }));
    expect(words.title).toBe(title);
    expect(words.text).toContain('Provider scripted');
    expect(words.advice).toMatch(/\w{3}/);
    expect(words.details['Code of the provider']).toContain(error);
    expect(words.details.Request).toMatch(/^[\w-]{8,}$/);
  });

  it.each([
    ['cannot be reached', { status: 503, body: {} }, 'The provider cannot be reached', 'provider_error'],
    [
      'refuses the client, which the application’s makers have to mend',
      { status: 401, body: { error: 'invalid_client' } },
      'The application is not set up correctly',
      'integration_misconfigured',
    ],
  ])('that %s is told apart', async (_, answer, title, code) => {
    const before = stage.provider.answerToken;
    stage.provider.answerToken = () => answer;
    const words = wordsOf(await comeBack({ code: 'the-code' }));
    stage.provider.answerToken = before;
    expect([words.title, words.details.Error]).toEqual([title, code]);
  });
});

describe('a failure before or beside the provider', () => {
  it('tells a browser without the cookie of browsers and cookies', async () => {
    const request = await stage.follow(await stage.start('mia'), stage.openBrowser());
    const page = await stage.openBrowser().open(stage.callbackUrl(request, { code: 'the-code' }));
    expect(wordsOf(page)).toMatchObject({
      title: 'Another browser',
      text: expect.stringContaining('cookies'),
    });
  });

  it('tells any other browser that loads the last page nothing of what came of it', async () => {
    const browser = stage.openBrowser();
    const request = await stage.follow(await stage.start('mia'), browser);
    await stage.answer(request, browser);
    const again = await stage.answer(request, stage.openBrowser());
    expect([again.status, wordsOf(again).advice]).toEqual([403, expect.stringContaining('all is well')]);
  });
});

describe('an address that asks too often', () => {
  it('is told to wait, in its language, and the rest of the gateway goes on', async () => {
    const limited = await startConnectingStage([], { env: { RATE_LIMIT_CONNECT_PER_MINUTE: '3' } });
    try {
      const { url } = limited.gateway;
      const replies: Response[] = [];
      for (const path of [
        '/connect/a',
        '/oauth/callback',
        '/connect/b',
        '/oauth/callback?state=x',
        '/connect/c',
      ])
        replies.push(await fetch(`${url}${path}`, { headers: { 'accept-language': 'de' } }));
      expect(replies.map(({ status }) => status)).toEqual([404, 400, 404, 429, 429]);
      expect(Number(replies[4]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await replies[4]?.text()).toContain('Zu viele Versuche');
      expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
