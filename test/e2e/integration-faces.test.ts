import { callApi, callApiOk } from '../support/gateway.ts';
import { makePng } from '../support/pictures.ts';
import { type ConnectingStage, integrate, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;
let id: string;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'other']);
  id = await integrate(stage, 'keyed', { name: 'Acme (Europe)' });
});
afterAll(() => stage?.close());

const PNG = makePng(64, 64, [200, 30, 90]);
const patch = (body: object, integrationId = id) =>
  callApi(stage.gateway.url, 'PATCH', `/v1/integrations/${integrationId}`, {
    bearer: stage.project.apiKey,
    body,
  });
const setLogo = async (picture: Buffer = PNG) =>
  (await patch({ logo: picture.toString('base64') })).body.logoUrl as string;
const rows = () => stage.database.knex('integration_logos').where({ integration_id: id });
const choosePage = async () =>
  (await stage.openBrowser().open((await stage.start('mia', { provider: undefined })).url)).body;

describe('the name of an integration', () => {
  it('stands on the connect page beside that of its provider, and in the lists of the SDK', async () => {
    const body = await choosePage();
    expect(body).toContain('<strong>Acme (Europe)</strong>');
    const { integrations } = await callApiOk(stage.gateway.url, 'GET', '/v1/integrations', {
      bearer: stage.project.userToken('mia'),
    });
    const names = integrations.map((one: { name: string | null }) => one.name);
    expect(names).toEqual(['Acme (Europe)', null, null]);
  });

  it('is changed, and taken back', async () => {
    expect((await patch({ name: '  Acme & Söhne ' })).body.name).toBe('Acme & Söhne');
    expect(await choosePage()).toContain('<strong>Acme &amp; Söhne</strong>');
    expect((await patch({ name: null })).body.name).toBeNull();
    expect(await choosePage()).not.toContain('Söhne');
  });

  it.each([[''], ['   '], ['x'.repeat(81)], ['a\u0007b'], [7]])('is refused as %j', async (name) => {
    expect((await patch({ name })).status).toBe(400);
  });
});

describe('the logo of an integration', () => {
  it('stands on the connect page, and is served as a picture that can do nothing', async () => {
    const logoUrl = await setLogo();
    expect(await choosePage()).toContain(`src="${new URL(logoUrl).pathname}"`);
    const response = await fetch(logoUrl);
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'access-control-allow-origin': '*',
    });
    const known = await fetch(logoUrl, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } });
    expect(known.status).toBe(304);
    expect((await fetch(logoUrl, { method: 'POST' })).status).toBe(405);
  });

  it('has another address where it is another one, and the address of before is gone', async () => {
    const before = await setLogo(makePng(10, 10, [1, 1, 1]));
    const after = await setLogo(makePng(10, 10, [2, 2, 2]));
    expect(after).not.toBe(before);
    expect([(await fetch(before)).status, (await fetch(after)).status]).toEqual([404, 200]);
    expect(await rows()).toHaveLength(1);
  });

  it('is taken back', async () => {
    await setLogo();
    expect((await patch({ logo: null })).body.logoUrl).toBeNull();
    expect(await rows()).toEqual([]);
    expect(await choosePage()).not.toContain('/logos/integrations/');
  });

  it.each<[string, Buffer]>([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a picture of too many pixels', makePng(1_025, 1, [0, 0, 0])],
    ['a picture of no pixels', makePng(0, 1, [0, 0, 0])],
  ])('is refused as %s', async (_, picture) => {
    const { status, body } = await patch({ logo: picture.toString('base64') });
    expect([status, body.code]).toEqual([422, 'logo_invalid']);
  });

  it.each([['x'], ['not base64!'], [PNG.toString('base64').padEnd(90_000, 'A')], [7]])(
    'is refused where the field is no picture in base64, or too long',
    async (logo) => {
      expect((await patch({ logo })).status).toBe(400);
    },
  );

  it.each(['/logos/integrations/x/y', `/logos/integrations/${'0'.repeat(36)}/${'a'.repeat(22)}`])(
    'is not found at %s',
    async (path) => {
      expect((await fetch(`${stage.gateway.url}${path}`)).status).toBe(404);
    },
  );

  it('is shown to no integration of another, and goes with the integration', async () => {
    const logoUrl = new URL(await setLogo());
    const other = logoUrl.pathname.replace(id, stage.integrations.scripted ?? '');
    expect((await fetch(`${stage.gateway.url}${other}`)).status).toBe(404);
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/integrations/${id}`, { bearer: stage.project.apiKey });
    expect(await rows()).toEqual([]);
  });
});
