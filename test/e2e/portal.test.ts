import { callApi, callApiOk } from '../support/gateway.ts';
import { authorize, connectAccount, type Stage, startStage } from '../support/stage.ts';
import { ACME, callAs, connectAs, MANAGER, readAsKey } from './organizations-stage.ts';

let stage: Stage;
let own: { id: string; integrationId: string };
let shared: { id: string };
beforeAll(async () => {
  stage = await startStage();
  own = await connectAccount(stage, { userId: 'bob', email: 'ben@northwind.test' });
  shared = await connectAs(stage, { userId: 'ada', claims: MANAGER });
});
afterAll(() => stage?.close());

const link = async (body: Record<string, unknown>, bearer = stage.project.apiKey) =>
  callApiOk(stage.gateway.url, 'POST', '/v1/portal-sessions', { bearer, body });

/** Opens a link as a browser: its cookie, and the page's own address. */
async function openLink(url: string) {
  const first = await fetch(url, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const address = new URL(first.headers.get('location') ?? '/', url).href;
  const read = async (language = 'en', at = address) => {
    const answer = await fetch(at, { headers: { cookie, 'accept-language': language } });
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
    const again = await german.send({ act: 'reconnect', id: own.id });
    expect(new URL(again.headers.get('location') ?? '').search).toBe('?locale=de');
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

  it('says why an account was not connected again, and names it in every button', async () => {
    const { gateway, project } = stage;
    const browser = await openLink((await link({ userId: 'bob' })).url);
    const pageAfter = async (answer: Response) =>
      (await browser.read('en', new URL(answer.headers.get('location') ?? '', browser.address).href)).text;
    const begun = await browser.send({ act: 'reconnect', id: own.id });
    const back = new URL(
      (await authorize(stage, begun.headers.get('location') ?? '', { email: 'carol@contoso.test' })).url,
    );
    const [id = '', error = ''] = ['connect_session', 'error'].map(
      (name) => new URLSearchParams(back.hash.slice(1)).get(name) ?? '',
    );
    const of = back.searchParams.get('of') ?? '';
    const mismatch = await pageAfter(await browser.send({ act: 'finish', id, error, of }));
    expect(mismatch).toContain('You signed in to another Demo CRM account than the one connected before.');
    const denied = await browser.send({ act: 'finish', id, error: 'access_denied', of });
    expect(await pageAfter(denied)).toContain('The account was not connected. Try it again.');

    const { apiKey: bearer } = project;
    const patch = (body: object) =>
      callApiOk(gateway.url, 'PATCH', `/v1/integrations/${own.integrationId}`, { bearer, body });
    await patch({ disabled: { reason: 'Maintenance' } });
    const off = await pageAfter(await browser.send({ act: 'reconnect', id: own.id }));
    await patch({ disabled: null });
    expect(off).toContain('The application has switched Demo CRM off for now.');
    expect(off).toContain('aria-label="Connect again: Demo CRM, northwind.test"');
    expect(off).toContain('aria-label="Remove now: Demo CRM, northwind.test"');
  });

  it('says that there are more accounts than it shows', async () => {
    const { gateway, project } = stage;
    const { integrationId } = own;
    for (let index = 0; index < 201; index += 1) {
      const credentials = { accessToken: `access-${index}`, refreshToken: `refresh-${index}` };
      const body = { integrationId, userId: 'max', accountId: String(index), credentials };
      await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
    }
    const { text } = await (await openLink((await link({ userId: 'max' })).url)).read();
    expect(text.match(/Connect again</g)).toHaveLength(200);
    expect(text).toContain('The newest 200 are shown.');
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

  it('ends with the API key that made its link', async () => {
    const { gateway, project } = stage;
    const keys = `/v1/projects/${project.id}/api-keys`;
    const bearer = project.personalAccessToken;
    const body = { name: 'leaked', scopes: ['connect'] };
    const { id, key } = await callApiOk(gateway.url, 'POST', keys, { bearer, body });
    const browser = await openLink((await link({ userId: 'bob' }, key)).url);
    const unopened = await link({ userId: 'bob' }, key);
    const other = await openLink((await link({ userId: 'bob' })).url);
    expect((await browser.read()).status).toBe(200);
    await callApiOk(gateway.url, 'DELETE', `${keys}/${id}`, { bearer });
    expect((await browser.read()).status).toBe(410);
    expect((await fetch(unopened.url, { redirect: 'manual' })).status).toBe(410);
    expect((await other.read()).status).toBe(200);
  });

  it('removes what is the person’s, and refuses what is not theirs to remove or comes from another page', async () => {
    const member = await openLink((await link({ userId: 'bob', organizationId: 'acme' })).url);
    expect((await member.send({ act: 'remove', id: shared.id })).status).toBe(403);
    expect((await member.send({ act: 'remove', id: own.id }, 'forged')).status).toBe(403);
    // The second press finds nothing to remove any more.
    for (const _press of [1, 2]) {
      const removed = await member.send({ act: 'remove', id: own.id });
      expect(removed.headers.get('location')).toContain('done=removed');
    }
    const again = await member.send({ act: 'reconnect', id: own.id });
    expect(again.headers.get('location')).toContain('done=failed');
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

  it('removes an account once, however often that is pressed', async () => {
    const { id } = await connectAccount(stage, { userId: 'tia', email: 'ben@northwind.test' });
    const browser = await openLink((await link({ userId: 'tia' })).url);
    const formToken = /name="formToken" value="([^"]+)"/.exec((await browser.read()).text)?.[1] ?? '';
    const presses = [1, 2, 3].map(() => browser.send({ act: 'remove', id }, formToken));
    for (const { status, headers } of await Promise.all(presses))
      expect([status, headers.get('location')?.endsWith('?done=removed')]).toEqual([303, true]);
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
