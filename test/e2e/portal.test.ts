import { callApi, callApiOk } from '../support/gateway.ts';
import { authorize, connectAccount, type Stage, startStage } from '../support/stage.ts';
import { ACME, callAs, connectAs, MANAGER, readAsKey } from './organizations-stage.ts';

let stage: Stage;
let own: { id: string };
let shared: { id: string };
beforeAll(async () => {
  stage = await startStage();
  own = await connectAccount(stage, { userId: 'bob', email: 'ben@northwind.test' });
  shared = await connectAs(stage, { userId: 'ada', claims: MANAGER });
});
afterAll(() => stage?.close());

const link = async (body: Record<string, unknown>) => {
  const { gateway, project } = stage;
  return callApiOk(gateway.url, 'POST', '/v1/portal-sessions', { bearer: project.apiKey, body });
};

/** Opens a link as a browser: its cookie, and the page's own address. */
async function openLink(url: string) {
  const first = await fetch(url, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const address = new URL(first.headers.get('location') ?? '/', url).href;
  const read = async (language = 'en') => {
    const answer = await fetch(address, { headers: { cookie, 'accept-language': language } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const send = async (fields: Record<string, string>, formToken?: string) => {
    const token = formToken ?? /name="formToken" value="([^"]+)"/.exec((await read()).text)?.[1] ?? '';
    const body = new URLSearchParams({ formToken: token, ...fields });
    return fetch(address, { method: 'POST', headers: { cookie }, body, redirect: 'manual' });
  };
  return { first, address, cookie, read, send };
}

describe('the page of a person’s connections', () => {
  it('opens once, in one browser, and leaves no token in its address', async () => {
    const { url } = await link({ userId: 'bob', organizationId: 'acme' });
    const browser = await openLink(url);
    expect(browser.first.status).toBe(303);
    expect(browser.first.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(410);
    expect((await fetch(browser.address)).status).toBe(410);
    const page = await browser.read();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain(own.id);
    expect(page.text).toContain('Shared by your organization (acme)');
    expect(page.text).not.toContain(shared.id);
  });

  it('speaks the language of the link, else that of the browser', async () => {
    const german = await openLink((await link({ userId: 'bob', locale: 'de' })).url);
    expect((await german.read('es')).text).toContain('Verbundene Konten');
    const unsaid = await openLink((await link({ userId: 'bob' })).url);
    expect((await unsaid.read('es')).text).toContain('Cuentas conectadas');
  });

  it('connects again, with the code that comes back', async () => {
    const browser = await openLink((await link({ userId: 'bob' })).url);
    const begun = await browser.send({ act: 'reconnect', id: own.id });
    const connectUrl = begun.headers.get('location') ?? '';
    expect(connectUrl).toContain('/connect/');
    const before = (await readAsKey(stage, `/v1/connections/${own.id}`)).updatedAt;
    const back = await authorize(stage, connectUrl, { email: 'ben@northwind.test' });
    const [sessionId, code] = ['connect_session', 'completion_code'].map(
      (name) => new URLSearchParams(new URL(back.url).hash.slice(1)).get(name) ?? '',
    );
    const done = await browser.send({ act: 'finish', id: sessionId ?? '', code: code ?? '' });
    expect(done.headers.get('location')).toContain('done=connected');
    expect((await readAsKey(stage, `/v1/connections/${own.id}`)).updatedAt).not.toBe(before);
  });

  it('ends with the user’s tokens, and a link from before them opens nothing', async () => {
    const kept = await connectAccount(stage, { userId: 'rae', email: 'ben@northwind.test' });
    const browser = await openLink((await link({ userId: 'rae' })).url);
    const unopened = await link({ userId: 'rae' });
    const other = await openLink((await link({ userId: 'bob' })).url);
    const formToken = /name="formToken" value="([^"]+)"/.exec((await browser.read()).text)?.[1] ?? '';
    const { gateway, project } = stage;
    await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, {
      bearer: project.apiKey,
      body: { userId: 'rae' },
    });
    expect((await browser.send({ act: 'remove', id: kept.id }, formToken)).status).toBe(410);
    expect((await browser.read()).status).toBe(410);
    expect((await fetch(unopened.url, { redirect: 'manual' })).status).toBe(410);
    expect((await readAsKey(stage, `/v1/connections/${kept.id}`)).status).toBe('active');
    expect((await other.read()).status).toBe(200);
    const later = await openLink((await link({ userId: 'rae' })).url);
    expect((await later.read()).text).toContain(kept.id);
  });

  it('removes what is the person’s, and refuses what is not theirs to remove or comes from another page', async () => {
    const member = await openLink((await link({ userId: 'bob', organizationId: 'acme' })).url);
    expect((await member.send({ act: 'remove', id: shared.id })).status).toBe(403);
    expect((await member.send({ act: 'remove', id: own.id }, 'forged')).status).toBe(403);
    expect((await member.send({ act: 'remove', id: own.id })).headers.get('location')).toContain(
      'done=removed',
    );
    expect((await callAs(stage, { userId: 'bob' }, 'GET', '/v1/connections')).body.connections).toEqual([]);
    const manager = await callAs(
      stage,
      { userId: 'ada', claims: MANAGER },
      'POST',
      '/v1/portal-sessions',
      {},
    );
    expect(manager.status).toBe(201);
    const browser = await openLink(manager.body.url);
    expect((await browser.send({ act: 'remove', id: shared.id })).status).toBe(303);
    expect(
      (await callAs(stage, { userId: 'bob', claims: ACME }, 'GET', '/v1/connections')).body.connections,
    ).toEqual([]);
  });

  it('is opened by user tokens for their own user alone', async () => {
    const { gateway, project } = stage;
    const other = await callAs(stage, { userId: 'bob' }, 'POST', '/v1/portal-sessions', { userId: 'ada' });
    expect([other.status, other.body.code]).toEqual([403, 'forbidden']);
    const nobody = await callApi(gateway.url, 'POST', '/v1/portal-sessions', {
      bearer: project.apiKey,
      body: {},
    });
    expect(nobody.body.errors[0].path).toBe('body.userId');
  });
});
