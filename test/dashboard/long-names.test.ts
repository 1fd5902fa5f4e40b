import type { Page } from 'playwright-core';
import { askApproval } from '../support/approval-stage.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { settled, visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { plainProviderFile } from '../support/held-provider.ts';
import { type Receiver, reply, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const PROVIDER_NAME = 'A key provider with a quite long name GmbH & Co. KG Zürich';
const USER = 'user-id-without-any-end-'.repeat(11).slice(0, 255);
const ACCOUNT = `An extraordinarily long account name ${'x'.repeat(180)}`;
const PHONE = 375;

let stage: DashboardStage;
let receiver: Receiver;
let removeCatalog: () => Promise<void>;
const ids = { connection: '', destination: '', approval: '', integration: '' };

beforeAll(async () => {
  const file = plainProviderFile('ledger', 'http://127.0.0.1:9').replace(
    'name: ledger',
    `name: ${PROVIDER_NAME}`,
  );
  const catalog = await createCatalogDir({ ledger: file });
  removeCatalog = catalog.remove;
  [stage, receiver] = await Promise.all([
    startDashboardStage({ catalogDir: catalog.path }),
    startReceiver(reply(500)),
  ]);
  const { id: projectId } = stage.project;
  const url = `${receiver.url}/${'a-long-part-of-an-address-'.repeat(20)}`;
  ids.destination = (await stage.call('POST', '/v1/event-destinations', { projectId, url, types: ['*'] })).id;
  ids.integration = (
    await stage.call('POST', '/v1/integrations', {
      ...{ projectId, serviceProvider: 'ledger', clientId: 'id', clientSecret: 'secret', scopes: ['read'] },
    })
  ).id;
  const connection = { integrationId: ids.integration, userId: USER, accountName: ACCOUNT };
  const credentials = { accessToken: 'access' };
  ids.connection = (await stage.call('POST', '/v1/connections', { ...connection, credentials })).id;
  ids.approval = await askApproval(stage.gateway, stage.project, { userId: USER, provider: 'ledger' });
  await until(() => receiver.received.length > 0);
});
afterAll(async () => {
  await stage?.close();
  await receiver?.close();
  await removeCatalog?.();
});

const PAGES = [
  ...['', '/integrations', '/integrations/{integration}', '/connections', '/connections/{connection}'],
  ...['/events', '/events/destinations', '/events/destinations/{destination}', '/events/deliveries'],
  ...['/calls', '/approvals', '/approvals/{approval}', '/activity', '/mandates'],
  ...['/settings/users', '/settings/members', '/settings/api-keys', '/settings/project'],
];

const hrefOf = (address: string) =>
  `/p/${stage.project.id}${address.replace(/\{(\w+)\}/, (_, name: keyof typeof ids) => ids[name])}`;

/** The cells of tables and facts whose content runs over the next one, by their text. */
const listOverlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main :is(td, dd)')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => cell.innerText.slice(0, 60)),
  );

async function measure(page: Page): Promise<object[]> {
  const found: object[] = [];
  for (const address of PAGES) {
    await settled(page, () => visit(page, hrefOf(address)));
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    const overlaps = await listOverlaps(page);
    if (sideways > 0 || overlaps.length > 0) found.push({ address, sideways, overlaps });
  }
  return found;
}

describe('pages with names as long as they may be', () => {
  it('scroll sideways nowhere on a phone, and no name runs over its neighbour', async () => {
    const page = await stage.openAs('owner', { locale: 'de', viewport: { width: PHONE, height: 800 } });
    expect(await measure(page)).toEqual([]);
  });

  it('let no name run over its neighbour on a wide screen', async () => {
    const page = await stage.openAs('owner', { viewport: { width: 1440, height: 900 } });
    expect(await measure(page)).toEqual([]);
  });

  it('keep the rows of deliveries and of users low on a phone, and what can be done with them within reach', async () => {
    const page = await stage.openAs('owner', { locale: 'de', viewport: { width: PHONE, height: 800 } });
    for (const address of ['/events/deliveries', '/settings/users', '/settings/members']) {
      await settled(page, () => visit(page, hrefOf(address)));
      const rows = page.locator('main tbody').last().locator('tr');
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect(heights.length).toBeGreaterThan(0);
      expect({ address, tallest: Math.max(...heights) < 320 }).toEqual({ address, tallest: true });
      const ends = await page
        .locator('main td :is(a, button, select)')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
      expect(Math.max(0, ...ends)).toBeLessThanOrEqual(PHONE);
    }
  });

  it.each(['de', 'es'])('cut off no button at 320 pixels, as at 400 % zoom, in %s', async (locale) => {
    const page = await stage.openAs('owner', { locale, viewport: { width: 320, height: 800 } });
    for (const address of [...PAGES, '/settings/signing-keys']) {
      await settled(page, () => visit(page, hrefOf(address)));
      const cut = await page
        .locator('main .mantine-Button-label')
        .evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
        );
      expect({ address, cut }).toEqual({ address, cut: [] });
    }
  });

  it('keep the words of a tooltip on the screen of a phone', async () => {
    const page = await stage.openAs('owner', { locale: 'de', viewport: { width: PHONE, height: 800 } });
    await settled(page, () => visit(page, hrefOf('/approvals/{approval}')));
    const copy = page.getByRole('main').getByRole('button', { name: `${ids.approval} kopieren` });
    await copy.hover();
    const { x = 0, width = PHONE } = (await page.getByRole('tooltip').boundingBox()) ?? {};
    expect(x).toBeGreaterThan(0);
    expect(x + width).toBeLessThanOrEqual(PHONE);
  });

  it('keep the icons of the search field whole', async () => {
    const page = await stage.openAs('owner', { viewport: { width: 1440, height: 900 } });
    await settled(page, () => visit(page, hrefOf('')));
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(USER);
    const found = page
      .locator('#palette-list')
      .getByRole('option')
      .filter({ hasText: USER.slice(0, 40) })
      .first();
    expect((await found.locator('svg').boundingBox())?.width).toBe(17);
  });
});
