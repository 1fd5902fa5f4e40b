import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { type SampleApp, startSampleApp } from '../../examples/sample-app/server.ts';
import { SAMPLE_USERS } from '../../examples/sample-app/sign-in.ts';
import { createHttpBrowser } from './http-browser.ts';

const PROJECT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const KEY_ID = 'sample-key';
const GATEWAY_URL = 'http://127.0.0.1:9';
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let app: SampleApp;

beforeAll(async () => {
  const settings = { gatewayUrl: GATEWAY_URL, projectId: PROJECT_ID, keyId: KEY_ID };
  app = await startSampleApp({ ...settings, privateKey, events: { by: 'deliveries', secret: SECRET } });
});

afterAll(() => app.close());

async function signedIn(userId = 'user-mia') {
  const browser = createHttpBrowser({ origins: [app.url] });
  const page = await browser.submit(`${app.url}/sign-in`, { user: userId });
  return { browser, page };
}

describe('signing in', () => {
  it('sends a visitor who is not signed in to the sign-in page, which offers every user', async () => {
    const page = await createHttpBrowser({ origins: [app.url] }).open(app.url);
    expect(page.url).toBe(`${app.url}/sign-in`);
    for (const { name } of SAMPLE_USERS) expect(page.body).toContain(name);
  });

  it('serves the page to a signed-in user, and no longer after signing out', async () => {
    const { browser, page } = await signedIn();
    expect(page.url).toBe(`${app.url}/`);
    expect(page.body).toContain('id="contacts"');
    expect((await browser.submit(`${app.url}/sign-out`)).url).toBe(`${app.url}/sign-in`);
    expect((await browser.open(`${app.url}/token`)).status).toBe(401);
  });

  it('refuses a user that does not exist', async () => {
    const { browser, page } = await signedIn('user-nobody');
    expect(page.status).toBe(400);
    expect(browser.cookies()).toEqual([]);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const body = new URLSearchParams({ user: 'user-mia' });
    const response = await fetch(`${app.url}/sign-in`, { method: 'POST', body, redirect: 'manual' });
    expect(response.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
  });

  it('refuses a cookie whose user or lifetime was changed', async () => {
    const { browser } = await signedIn();
    const [id, expiresMs, signature] = browser.cookies()[0]?.value.split('.') ?? [];
    for (const value of [
      `user-noah.${expiresMs}.${signature}`,
      `${id}.${Number(expiresMs) + 1}.${signature}`,
      `${id}.${expiresMs}.`,
    ]) {
      const response = await fetch(`${app.url}/token`, { headers: { cookie: `sample_app_user=${value}` } });
      expect(response.status).toBe(401);
    }
  });
});

describe('user token', () => {
  it('names the signed-in user and the project, lives ten minutes, and is signed with the key it names', async () => {
    const { browser } = await signedIn('user-noah');
    const answer = await browser.open(`${app.url}/token`);
    const { header, payload } = jwt.verify(answer.body, publicKey, {
      algorithms: ['ES256'],
      audience: PROJECT_ID,
      complete: true,
    });
    expect(header).toMatchObject({ alg: 'ES256', kid: KEY_ID });
    const { sub, exp = 0, iat = 0 } = typeof payload === 'string' ? {} : payload;
    expect(sub).toBe('user-noah');
    expect(exp - iat).toBe(600);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('can be signed with a key in PEM', async () => {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const settings = { gatewayUrl: GATEWAY_URL, projectId: PROJECT_ID, keyId: KEY_ID };
    const other = await startSampleApp({ ...settings, privateKey: pem });
    try {
      const browser = createHttpBrowser({ origins: [other.url] });
      await browser.submit(`${other.url}/sign-in`, { user: 'user-zoe' });
      const { body } = await browser.open(`${other.url}/token`);
      expect(jwt.verify(body, publicKey)).toMatchObject({ sub: 'user-zoe' });
    } finally {
      await other.close();
    }
  });

  it('is not given to a visitor who is not signed in', async () => {
    const response = await fetch(`${app.url}/token`);
    expect(response.status).toBe(401);
    expect(await response.json()).not.toHaveProperty('token');
  });
});

describe('page', () => {
  it('runs scripts from its own address and the gateway’s only, and calls no other server', async () => {
    const { page } = await signedIn();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'self' ${GATEWAY_URL};`);
    expect(policy).toContain(`connect-src 'self' ${GATEWAY_URL};`);
    expect(page.body).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style=/);
  });

  it('learns from its server where the gateway is and who is signed in', async () => {
    const { browser } = await signedIn('user-zoe');
    expect(JSON.parse((await browser.open(`${app.url}/settings`)).body)).toEqual({
      user: { id: 'user-zoe', name: 'Zoe Quinn', role: 'Marketing' },
      gatewayUrl: GATEWAY_URL,
      projectId: PROJECT_ID,
      provider: 'demo-crm',
      showsChanges: true,
      hasAgent: false,
    });
    expect((await fetch(`${app.url}/settings`)).status).toBe(401);
  });

  it('finds the scripts and styles that it names', async () => {
    const { browser, page } = await signedIn();
    const paths = [...page.body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]);
    expect(paths).toEqual(expect.arrayContaining(['/app.js', '/style.css']));
    for (const path of paths) expect((await browser.open(`${app.url}${path}`)).status).toBe(200);
  });
});

describe('changes at the provider', () => {
  const eventOf = (userId: string, objectId: string) => ({
    id: randomUUID(),
    type: 'demo-crm.contact.updated',
    userId,
    object: { type: 'contact', id: objectId, change: 'updated' },
    data: { propertyName: 'city', propertyValue: 'Lyon' },
  });

  /** A delivery as the gateway sends it, signed as Standard Webhooks says. */
  function deliver(event: { id: string }, secret = SECRET): Promise<Response> {
    const body = JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${event.id}.${timestamp}.${body}`)
      .digest('base64');
    return fetch(`${app.url}/gateway-events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
  }

  /** What the page of a user receives, as text. `next` waits until it has `text` in it. */
  async function openPage(userId: string, headers: Record<string, string> = {}) {
    const { browser } = await signedIn(userId);
    const cookie = browser.cookies().map(({ name, value }) => `${name}=${value}`);
    const leaving = new AbortController();
    const response = await fetch(`${app.url}/changes`, {
      headers: { ...headers, cookie: cookie.join('; ') },
      signal: leaving.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    return {
      readUntil: async (text: string) => {
        while (!received.includes(text)) received += (await reader?.read())?.value ?? '';
        return received;
      },
      leave: () => leaving.abort(),
    };
  }

  it('reach the pages of their own user, each once however often it is delivered, and those that open later', async () => {
    const [mia, noah] = await Promise.all([openPage('user-mia'), openPage('user-noah')]);
    const [first, second] = [eventOf('user-mia', '1'), eventOf('user-mia', '2')];
    for (const event of [first, first, second]) expect((await deliver(event)).status).toBe(204);
    const received = await mia.readUntil(second.id);
    expect(received.split(`id: ${first.id}`)).toHaveLength(2);
    expect(received).toContain(`event: change\nid: ${first.id}\ndata: ${JSON.stringify(first)}\n\n`);

    const back = await openPage('user-mia', { 'last-event-id': first.id });
    expect(await back.readUntil(second.id)).not.toContain(`id: ${first.id}`);

    const own = eventOf('user-noah', '3');
    await deliver(own);
    expect(await noah.readUntil(own.id)).not.toContain('user-mia');
    for (const page of [mia, noah, back]) page.leave();
  });

  it('are not believed unless the gateway signed them, and shown to nobody who is not signed in', async () => {
    const event = eventOf('user-zoe', '4');
    const forged = await deliver(event, `whsec_${randomBytes(32).toString('base64')}`);
    expect([forged.status, await forged.json()]).toEqual([400, { error: 'signature_invalid' }]);
    expect((await fetch(`${app.url}/changes`)).status).toBe(401);
    const page = await openPage('user-zoe');
    const real = eventOf('user-zoe', '5');
    await deliver(real);
    expect(await page.readUntil(real.id)).not.toContain(event.id);
    page.leave();
  });
});
