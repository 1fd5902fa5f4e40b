import { createServer, type ServerResponse } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { agentToken, ENTRY } from '../support/approval-stage.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { plainProviderFile } from '../support/held-provider.ts';
import { closeServer, listen } from '../support/listen.ts';

const PROVIDER = 'shelf';
const USER = 'mia';
const ORGANIZATION = 'acme';
const MEMBER = { userId: 'ben', claims: { org: ORGANIZATION } };
const RECORDS = `
records:
  - paths: [/things/*]
    select: { parameter: show, member: properties }
  - paths: [/wrapped/*, /danger/*]
    answer: data
writes: [/danger/*]
`;

let gateway: Gateway;
let project: Project;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** `METHOD url`, with the credential that came. */
let received: string[] = [];
/** Answers the provider's GETs. */
let answer: (response: ServerResponse) => void = () => undefined;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    received.push(`${method} ${url} ${headers.authorization}`);
    if (method === 'GET') answer(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  cleanUps.push(() => closeServer(server));
  const catalog = await createCatalogDir({ [PROVIDER]: plainProviderFile(PROVIDER, url) + RECORDS });
  cleanUps.push(catalog.remove);
  gateway = await startGateway({ catalogDir: catalog.path });
  cleanUps.push(gateway.stop);
  project = await provision(gateway);
  const bearer = project.apiKey;
  const body = { serviceProvider: PROVIDER, clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body });
  const connection = { integrationId: id, userId: USER, credentials: { accessToken: 'access-mia' } };
  await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer, body: connection });
  const { userId: _, ...ofOrganization } = { ...connection, credentials: { accessToken: 'access-acme' } };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { ...ofOrganization, owner: 'organization', organizationId: ORGANIZATION },
  });
  browser = await startBrowser();
  cleanUps.push(() => browser.close());
});
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
beforeEach(async () => {
  received = [];
  context = await openContext(browser, { locale: 'en' });
  page = await context.newPage();
});
afterEach(() => context?.close());

const answerJson = (value: unknown) => {
  answer = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

/** Has an agent ask for the call, and opens the person's page of it. */
async function open(
  method: string,
  path: string,
  body?: string,
  { type = 'application/json', userId = USER, claims = {} } = {},
) {
  const token = agentToken(project, userId, [{ ...ENTRY, provider: PROVIDER }], claims);
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) };
  const send = (approval?: string) =>
    fetch(`${gateway.url}/projects/${project.id}/proxy/${PROVIDER}${path}`, {
      method,
      headers: { ...headers, ...(approval !== undefined && { 'gateway-approval': approval }) },
      ...(body !== undefined && { body }),
    });
  const { approvalId } = await (await send()).json();
  const session = { bearer: project.apiKey, body: { userId } };
  const made = await callApiOk(gateway.url, 'POST', `/v1/approvals/${approvalId}/sessions`, session);
  await page.goto(made.url);
  return { repeat: () => send(approvalId) };
}

const rows = async () => {
  const cells = await page.locator('.call-changes tbody tr').allInnerTexts();
  return cells.map((row) => row.split('\t'));
};
const changes = () => page.getByRole('heading', { name: 'What changes' });

describe('a call that changes a record', () => {
  it('is shown with all digits of what is there now', async () => {
    answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"properties":{"parent":12345678901234567001}}');
    await open('PATCH', '/things/1', '{"properties":{"parent":"12345678901234567899"}}');
    await changes().waitFor();
    expect(await rows()).toEqual([['properties.parent', '12345678901234567001', '12345678901234567899']]);
  });

  it('is shown with what each field is now and then, read as the user with their connection, as text', async () => {
    answerJson({ properties: { name: '<b>Old</b>', size: 3, color: 'red' }, owner: 'ada' });
    const body = '{"properties":{"name":"New\\u202E","size":"3","note":"hello"},"owner":"mia"}';
    const { repeat } = await open('PATCH', '/things/1?by=id', body);
    await changes().waitFor();
    expect(await rows()).toEqual([
      ['properties.name', '<b>Old</b>', 'New⟨U+202E⟩'],
      ['properties.note', 'not shown by the service', 'hello'],
      ['owner', 'ada', 'mia'],
    ]);
    await page.getByText('One field stays as it is.').waitFor();
    expect(await page.locator('main b').count()).toBe(0);
    expect(received).toEqual(['GET /things/1?by=id&show=name,size,note Bearer access-mia']);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    expect((await repeat()).status).toBe(200);
    expect(received.map((line) => line.split(' ')[0])).toEqual(['GET', 'PATCH']);
  });

  it('may be a form, and the record a member of the answer', async () => {
    answerJson({ data: { name: 'Old', meta: { plan: 'free' } } });
    await open('PUT', '/wrapped/1', 'name=New&meta[plan]=pro', {
      type: 'application/x-www-form-urlencoded',
    });
    await changes().waitFor();
    expect(await rows()).toEqual([
      ['name', 'Old', 'New'],
      ['meta.plan', 'free', 'pro'],
    ]);
  });

  it('is shown with the record that a member reads with the connection of their organization', async () => {
    answerJson({ name: 'Old' });
    const { repeat } = await open('PATCH', '/things/1', '{"name":"New"}', MEMBER);
    await changes().waitFor();
    expect(await rows()).toEqual([['name', 'Old', 'New']]);
    expect(received).toEqual(['GET /things/1 Bearer access-acme']);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    expect((await repeat()).status).toBe(200);
  });

  it('is shown with the record that it deletes', async () => {
    answerJson({ name: 'Old', size: 3 });
    await open('DELETE', '/things/1');
    const shown = page.getByLabel('What would be deleted');
    expect(await shown.innerText()).toBe('{\n  "name": "Old",\n  "size": 3\n}');
  });
});

describe('a call is shown without the record', () => {
  const BODY = '{"name":"New"}';
  const expectCallAlone = async () => {
    await page.getByRole('heading', { name: `Allow this call to ${PROVIDER}?` }).waitFor();
    await page.getByText('"name": "New"').waitFor();
    expect(await changes().count()).toBe(0);
  };

  it.each([
    ['is refused', (response: ServerResponse) => response.writeHead(404).end('{}')],
    ['is no JSON', (response: ServerResponse) => response.writeHead(200).end('<html>')],
    ['is no object', (response: ServerResponse) => response.writeHead(200).end('[1]')],
    [
      'is longer than 256 KiB',
      (response: ServerResponse) =>
        response.writeHead(200).end(JSON.stringify({ name: 'x'.repeat(300 * 1024) })),
    ],
    [
      'breaks off',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' }).write('{');
        response.destroy();
      },
    ],
    ['does not come', () => undefined],
  ])('where the answer %s', async (_, given) => {
    answer = given;
    await open('PATCH', '/things/2', BODY);
    expect(received.map((line) => line.split(' ')[0])).toEqual(['GET']);
    await expectCallAlone();
  });

  it.each([
    ['of a path that the provider’s file does not name', '/others/1', BODY],
    ['of a path whose GET changes something', '/danger/1', BODY],
    ['whose body could be read in two ways', '/things/3', '{"name":"Old","name":"New"}'],
  ])('where it is one %s: nothing is asked', async (_, path, body) => {
    answerJson({ name: 'Old' });
    await open('PATCH', path, body);
    await expectCallAlone();
    expect(received).toEqual([]);
  });
});
