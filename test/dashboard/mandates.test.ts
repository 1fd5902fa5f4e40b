import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { callApiOk } from '../support/gateway.ts';
import { CONTACTS, connectAccount, PROVIDER, proxyUrl } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

const USER = 'mandated';

let stage: DashboardStage;
let page: Page;
let base: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  page = stage.page;
  base = `/p/${stage.project.id}`;
  await connectAccount(stage, { userId: USER });
});
afterAll(() => stage?.close());
afterEach(() => expect(stage?.takeFaults()).toEqual([]));

const asBackend = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, path, { bearer: stage.project.apiKey, body });

const mandates = () => `/v1/projects/${stage.project.id}/mandates`;

const createMandate = (name: string, entry: object = {}): Promise<{ id: string }> =>
  asBackend('POST', mandates(), {
    name,
    entries: [{ type: 'gateway_access', provider: PROVIDER, access: 'read', ...entry }],
  });

/** A call of the user, with a token that has what is given. */
async function callAs(rights: object, path: string, method = 'GET'): Promise<number> {
  const { token } = await asBackend('POST', '/v1/user-tokens', { userId: USER, ...rights });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { status } = await fetch(proxyUrl(stage, path), {
    ...{ method, headers },
    ...(method === 'POST' && { body: '{}' }),
  });
  return status;
}

/** Waits until the log has so many of the user's calls. */
const logged = (count: number) =>
  until(async () => {
    const path = `/v1/projects/${stage.project.id}/calls?userId=${USER}`;
    return (await asBackend('GET', path)).calls.length >= count;
  });

const verdict = (text: string | RegExp) => page.getByRole('heading', { name: text, exact: true }).waitFor();

describe('a project without an integration', () => {
  it.each(['mandates/new', 'console', 'calls'])('is led to the catalog by %s', async (path) => {
    const { id } = await callApiOk(stage.gateway.url, 'POST', '/v1/projects', {
      bearer: stage.project.personalAccessToken,
      body: { name: `Empty, for ${path}` },
    });
    await visit(page, `/p/${id}/${path}`);
    await page.getByRole('main').getByRole('link', { name: 'Create integration' }).first().click();
    await page.getByRole('heading', { name: 'New integration', level: 1 }).waitFor();
  });
});

describe('the editor of a mandate', () => {
  it('tells in sentences what is typed, judges a call that is typed, and creates the mandate', async () => {
    await visit(page, `${base}/mandates`);
    await page.getByText('No mandates yet').waitFor();
    await page.getByRole('link', { name: 'Create mandate' }).click();
    await page.getByText('Reads at Demo CRM, and changes nothing. At every path.').waitFor();
    await page.getByLabel('May', { exact: true }).selectOption('write');
    await page.getByRole('checkbox', { name: 'PATCH' }).check();
    await page.getByLabel('Paths').fill(`${CONTACTS}/*`);
    await page.getByLabel('Calls an hour of one user').fill('20');
    await page
      .getByText('Reads and changes at Demo CRM. Only with PATCH. At most 20 calls an hour of each user.')
      .waitFor();
    await page.getByLabel('Method', { exact: true }).selectOption('PATCH');
    await page.getByLabel('Path', { exact: true }).fill(`${CONTACTS}/17`);
    await verdict('Allowed by entry 1');
    await page.getByLabel('Path', { exact: true }).fill('/crm/v3/objects/companies/17');
    await verdict('Refused');
    await page.getByText('Entry 1: it does not name this path').waitFor();
    await page.getByLabel('Approval by a person').selectOption('each');
    await page.getByLabel('Path', { exact: true }).fill(`${CONTACTS}/18`);
    await verdict('Allowed by entry 1, after a person has approved it');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('Name').fill('Contact keepers');
    await page.getByRole('button', { name: 'Create mandate' }).click();
    await page.getByRole('heading', { name: 'Contact keepers', level: 1 }).waitFor();
    const [made] = (await asBackend('GET', mandates())).mandates;
    expect(made).toMatchObject({
      name: 'Contact keepers',
      entries: [
        {
          ...{ provider: PROVIDER, access: 'write', methods: ['PATCH'], paths: [`${CONTACTS}/*`] },
          ...{ approval: 'each', perHour: 20 },
        },
      ],
    });
  });

  it('shows beside its field what is wrong with an entry while it is typed', async () => {
    await visit(page, `${base}/mandates/new`);
    await page.getByLabel('Paths').fill('crm/v3');
    await page.getByText('Begins with a slash').first().waitFor();
    await page.getByLabel('Paths').fill('/crm/v3');
    await page.getByText('Begins with a slash').first().waitFor({ state: 'detached' });
  });

  it('saves a change, takes freezing for none, and does not overwrite what another operator changed', async () => {
    const { id } = await createMandate('Edited');
    await visit(page, `${base}/mandates/${id}`);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByText('This mandate is frozen').waitFor();
    await page.getByLabel('Paths').fill('/a');
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await answered).status()).toBe(200);
    await asBackend('PATCH', `${mandates()}/${id}`, { name: 'Edited elsewhere' });
    await page.getByLabel('Paths').fill('/b');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another operator changed this mandate meanwhile').waitFor();
    const { entries, state } = await asBackend('GET', `${mandates()}/${id}`);
    expect([entries[0].paths, state]).toEqual([['/a'], 'frozen']);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Edited elsewhere', level: 1 }).waitFor();
  });

  it('says where calls are judged by their methods alone', async () => {
    await visit(page, `${base}/mandates/new`);
    // The demo CRM's file describes no requests.
    await page.getByText('Calls to Demo CRM are judged by their method alone').waitFor();
  });
});

describe('a mandate made of calls', () => {
  it('allows these calls, with patterns in the place of ids, once it is reviewed and saved', async () => {
    for (const id of ['151', '152']) await callAs({}, `${CONTACTS}/${id}`);
    await callAs({}, CONTACTS, 'POST');
    await logged(3);
    await visit(page, `${base}/calls?userId=${USER}`);
    await page.getByRole('link', { name: 'Make a mandate of these calls' }).click();
    const table = page.getByRole('table', { name: 'Made of these calls' });
    await table.getByText(`GET ${CONTACTS}/*`).waitFor();
    await table.getByText(`POST ${CONTACTS}`, { exact: true }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('Name').fill('As before');
    await page.getByRole('button', { name: 'Create mandate' }).click();
    await page.getByRole('heading', { name: 'As before', level: 1 }).waitFor();
    const mandateId = page.url().split('/').at(-1);
    expect(await callAs({ mandateId }, `${CONTACTS}/153`)).not.toBe(403);
    expect(await callAs({ mandateId }, CONTACTS, 'POST')).not.toBe(403);
    expect(await callAs({ mandateId }, `${CONTACTS}/153`, 'DELETE')).toBe(403);
  });

  it('is none where no call matches', async () => {
    await visit(page, `${base}/mandates/new?from=calls&userId=stranger`);
    await page.getByText('No call matches these filters').waitFor();
  });
});

describe('the page of a mandate', () => {
  it('tells who used it: user, actor, provider, and how often it refused', async () => {
    const { id } = await createMandate('Used', { paths: [CONTACTS] });
    const rights = { mandateId: id, actor: { id: 'agent-7', name: 'Research agent' } };
    expect(await callAs(rights, CONTACTS)).toBe(200);
    expect(await callAs(rights, '/other')).toBe(403);
    const uses = () => asBackend('GET', `/v1/projects/${stage.project.id}/mandate-uses/${id}`);
    await until(async () => (await uses()).uses[0]?.refused === 1);
    await visit(page, `${base}/mandates/${id}`);
    const row = page.getByRole('table', { name: 'Who used it' }).getByRole('row').nth(1);
    await row.getByText('Research agent').waitFor();
    expect(await row.innerText()).toContain(USER);
    await page.getByRole('link', { name: 'All calls under it' }).click();
    await page.getByRole('link', { name: '/other' }).click();
    await page.getByText('did not allow it').waitFor();
    await page.getByText('Research agent (agent-7)').waitFor();
    await visit(page, `${base}/mandates`);
    await page
      .getByRole('row', { name: /Used/ })
      .getByText(/^now$|minute/)
      .waitFor();
  });

  it('deletes it after saying whose tokens then do nothing', async () => {
    const { id } = await createMandate('Short-lived');
    await visit(page, `${base}/mandates/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Every token that refers to it may do nothing from then on').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Mandates', level: 1 }).waitFor();
    expect((await asBackend('GET', mandates())).mandates.map((one: { id: string }) => one.id)).not.toContain(
      id,
    );
  });

  it('shows viewers what it allows and lets them try calls, and change nothing', async () => {
    const { id } = await createMandate('Looked at');
    const viewer = await stage.openAsViewer();
    await visit(viewer, `${base}/mandates/${id}`);
    await viewer.getByText('Reads at Demo CRM, and changes nothing.').waitFor();
    await viewer.getByLabel('Path', { exact: true }).fill('/a');
    await viewer.getByRole('heading', { name: 'Allowed by entry 1' }).waitFor();
    expect(await viewer.getByRole('button', { name: 'Freeze' }).count()).toBe(0);
    await viewer.close();
  });
});
