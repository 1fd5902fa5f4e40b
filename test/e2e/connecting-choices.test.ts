import { newId } from '../../src/lib/ids.ts';
import { type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

const COUNT = 450;
let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'other', 'keyed']);
});
afterAll(() => stage?.close());

const namesOf = (body: string) =>
  [...body.matchAll(/<li [^>]*>\s*<button[^>]*>\s*<img[^>]*><span><strong>([^<]*)</g)].map(
    ([, name]) => name,
  );
const choose = () => stage.start('mia', { provider: undefined });

it('the services that most accounts are connected to come first', async () => {
  await stage.connect('ada', 'account-1', { provider: 'other' });
  await stage.connect('ben', 'account-2', { provider: 'other' });
  await stage.connect('ada', 'account-3');
  const { body } = await stage.openBrowser().open((await choose()).url);
  const own = await stage.database.knex('integrations').select('id', 'service_provider');
  const providerOf = (id: string | undefined) => own.find((row) => row.id === id)?.service_provider;
  const listed = [...body.matchAll(/name="integrationId" value="([^"]*)"/g)].map(([, id]) => providerOf(id));
  expect(listed.slice(0, 2)).toEqual(['other', 'scripted']);
});

it.each([
  ['nothing', 'application/x-www-form-urlencoded', ''],
  ['an empty id', 'application/x-www-form-urlencoded', 'integrationId='],
  ['no id', 'application/x-www-form-urlencoded', 'integrationId=garbage'],
  ['two ids', 'application/x-www-form-urlencoded', 'integrationId=ID&integrationId=ID'],
  ['an id with more behind it', 'application/x-www-form-urlencoded', 'integrationId=ID%00'],
  ['JSON', 'application/json', '{"integrationId":"ID"}'],
  ['plain text', 'text/plain', 'integrationId=ID'],
])('a form with %s is shown again', async (_what, type, text) => {
  const { url } = await choose();
  const opened = await fetch(url);
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';')[0]);
  const sent = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, cookie: cookie.join('; ') },
    body: text.replaceAll('ID', stage.integrations.other ?? ''),
  });
  expect(sent.status).toBe(422);
  expect(await sent.text()).toContain('Choose one of these entries.');
});

it('a service that is pressed twice is chosen once, and its form has nothing to complain of', async () => {
  const browser = stage.openBrowser();
  const { url } = await choose();
  await browser.open(url);
  const press = () => browser.submit(url, { integrationId: stage.integrations.keyed ?? '' });
  await press();
  const form = await press();
  expect(form.status).toBe(200);
  expect(form.body).toContain('name="apiKey"');
  expect(form.body).not.toContain('Please fill this in.');
});

describe('a list of hundreds', () => {
  beforeAll(async () => {
    const [pattern] = await stage.database.knex('integrations').where({ service_provider: 'keyed' });
    const { custom_provider: _, ...row } = pattern;
    const rows = Array.from({ length: COUNT }, (_one, index) => ({
      ...row,
      id: newId(),
      name: index === COUNT - 1 ? 'Ärztehaus Süd' : `Service ${String(index).padStart(3, '0')}`,
    }));
    await stage.database.knex.batchInsert('integrations', rows);
  });

  it('stands on several pages, which name all of them and say how many there are', async () => {
    const browser = stage.openBrowser();
    const { url } = await choose();
    const first = await browser.open(url);
    expect(first.body).toContain(`1 to 200 of ${COUNT + 3} are shown`);
    const all: (string | undefined)[] = [];
    let next: string | undefined = url;
    while (next !== undefined) {
      const page = await browser.open(next);
      all.push(...namesOf(page.body));
      const more = /href="(\?[^"]*)">Show the next ones/.exec(page.body)?.[1];
      next = more === undefined ? undefined : `${url}${more}`;
    }
    expect(all).toHaveLength(COUNT + 3);
    expect(new Set(all).size).toBe(COUNT + 3);
  });

  it('is searched by the server, whatever the case and accents, and what is found can be chosen', async () => {
    const browser = stage.openBrowser();
    const { url } = await choose();
    const found = await browser.open(`${url}?q=ARZTEHAUS+sud`);
    expect(namesOf(found.body)).toEqual(['Ärztehaus Süd']);
    expect(found.body).toContain('1 service');
    const id = /name="integrationId" value="([^"]*)"/.exec(found.body)?.[1] ?? '';
    const form = await browser.submit(`${url}?q=ARZTEHAUS+sud`, { integrationId: id });
    expect(form.body).toContain('Connect Ärztehaus Süd');
    const none = await stage.openBrowser().open(`${(await choose()).url}?q=nowhere`);
    expect(none.body).toContain('No service matches “nowhere”');
  });

  it.each(['-1', '1e9', '999999', 'x', '200&from=400'])(
    'answers from=%s with its first page',
    async (from) => {
      const page = await stage.openBrowser().open(`${(await choose()).url}?from=${from}`);
      expect(page.body).toContain('1 to 200 of');
    },
  );
});
