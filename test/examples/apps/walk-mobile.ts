import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { openContext } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { allowAtCrm, type Walked } from './walk-page.ts';

const SCHEME = 'com.example.contacts:';

/**
 * The example's own stand-in for a phone connects in a browser that is caught at the link of the application's scheme; and a link
 * that belongs to no session of the application connects nothing.
 */
export async function walkMobile({ browser, url, folder }: Walked & { folder: string }): Promise<void> {
  const { createContactsApp } = await import(pathToFileURL(join(folder, 'app/contacts-app.js')).href);
  const start = (user: string, openBrowser: (address: string) => Promise<string>) =>
    createContactsApp({ backendUrl: url, user, openBrowser });
  const app = await start('user-ada', (address) => openSystemBrowser(browser, address));
  const connection = await app.connect();
  assert.equal(connection.status, 'active');
  assert.equal((await app.connections()).length, 1);
  assert.ok((await app.contacts()).length > 0);
  const made = await app.create(`phone-${Date.now()}@example.test`);
  await until(async () =>
    (await app.events()).some(
      ({ type, object }: { type: string; object: { id: string } | null }) =>
        type === 'demo-crm.contact.created' && object?.id === made.id,
    ),
  );
  await app.disconnect(connection.id);
  assert.deepEqual(await app.connections(), []);

  // What another application sends by the scheme: an outcome of a session that this one has not begun.
  const misled = await start(
    'user-ben',
    async () => `${SCHEME}/connected?connect_session=x&completion_code=y`,
  );
  await assert.rejects(misled.connect(), /not the session that was begun/);
  assert.deepEqual(await misled.connections(), []);
  assert.equal((await fetch(`${url}/token`, { method: 'POST' })).status, 401);
  assert.equal(
    (await fetch(`${url}/received`, { headers: { authorization: 'Bearer user-ada.9e15.AAAA' } })).status,
    401,
  );
}

/** A phone's browser: opens the address, and gives the link with which it would open the application. */
async function openSystemBrowser(browser: Browser, address: string): Promise<string> {
  const context = await openContext(browser);
  try {
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('Page.enable');
    const link = new Promise<string>((resolve) => {
      protocol.on('Page.frameRequestedNavigation', ({ url }) => {
        if (url.startsWith(SCHEME)) resolve(url);
      });
    });
    await page.goto(address);
    await allowAtCrm(page);
    return await link;
  } finally {
    await context.close();
  }
}
