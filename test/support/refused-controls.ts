import type { Locator, Page, Request } from 'playwright-core';
import { isPart, visit, watchRequests } from './dashboard.ts';

/** Filters of lists change nothing but the address, and are left out; of a row of filters beside one another, all but two. */
const CONTROLS = [
  'button:not(:disabled):not(search *):not([aria-pressed] ~ [aria-pressed] ~ [aria-pressed])',
  '[role="menuitem"]:not([data-disabled])',
].join(', ');
/** Copying calls nothing. */
const COPIES = /^copy\b/i;
const CLOSES = /^(close|cancel|schließen|)$/i;
/** What a dialog, a menu or a popover adds to the page. */
const OVERLAYS = '[role="dialog"], [role="menu"]';
const CLICK_MAX_MS = 1_000;
const SETTLE_MAX_MS = 10_000;
const STEP_MS = 20;
const QUIET_ROUNDS = 2;
/** React shows what it waited for up to 300 ms after it has come, and the dashboard's own timers take less. */
const TIMERS_MS = 500;

/** Everybody may do this to themselves; it is left undone, so that the walk goes on. */
const OWN_MATTERS = /^\/v1\/(operators\/me|sessions|personal-access-tokens)|\/members\/[0-9a-f-]{36}$/;

/** Before the page is loaded: its clock then goes on as far as a walk wants, instead of the walk waiting for it. */
export const prepareWalk = (page: Page) => page.clock.install();

/**
 * Uses every enabled button of a page, and those of the dialogs and menus that they open, and gives back which of them
 * made a call that the API answered with 403: a line for each, with the address and the call. Calls that the page makes
 * by itself are named too. The page has been prepared with `prepareWalk`.
 */
export async function findRefusedControls(page: Page, address: string): Promise<string[]> {
  const walk = await startWalk(page, address);
  await walk.visit('the page itself');
  const controls = page.locator('main').locator(CONTROLS);
  const names = await Promise.all(
    Array.from({ length: await controls.count() }, (_, index) => nameOf(controls.nth(index))),
  );
  const home = page.url();
  for (const [index, name] of names.entries()) {
    if (COPIES.test(name)) continue;
    const control = controls.nth(index);
    // Whatever the last one changed, this one is found on a fresh page.
    const isFresh = page.url() === home && (await control.count()) > 0 && (await nameOf(control)) === name;
    if (!isFresh) await walk.visit(name);
    await walk.press(control, name);
    await walkOverlay(page, walk, name);
    await page.keyboard.press('Escape');
  }
  await walk.end();
  return [...walk.refused];
}

type Walk = Awaited<ReturnType<typeof startWalk>>;

async function walkOverlay(page: Page, walk: Walk, opener: string): Promise<void> {
  const overlay = page.locator(OVERLAYS).last();
  if ((await overlay.count()) === 0 || !(await overlay.isVisible())) return;
  // Some forms can be sent once they are filled in.
  await fillFields(overlay);
  const controls = overlay.locator(CONTROLS);
  const names = await Promise.all(
    Array.from({ length: Math.min(await controls.count(), 12) }, (_, index) => nameOf(controls.nth(index))),
  );
  for (const [index, name] of names.entries()) {
    if (COPIES.test(name) || CLOSES.test(name)) continue;
    if (!(await overlay.isVisible())) await reopen(page, walk, opener);
    await fillFields(overlay);
    await walk.press(controls.nth(index), `${opener} > ${name}`);
    const inner = page.getByRole('dialog').last();
    if (name !== opener && (await inner.count()) > 0 && (await inner.isVisible())) {
      await fillFields(inner);
      const submit = inner.locator('button[type="submit"]:not(:disabled)').last();
      if ((await submit.count()) > 0) await walk.press(submit, `${opener} > ${name} > submit`);
    }
  }
}

async function reopen(page: Page, walk: Walk, opener: string): Promise<void> {
  await page.keyboard.press('Escape');
  const control = page.locator('main').getByRole('button', { name: opener, exact: true }).first();
  if ((await control.count()) === 0) await walk.visit(opener);
  if ((await control.count()) > 0) await walk.press(control, opener);
}

/** A likely value for every empty field, and the name that a dialog asks for, so that its form can be sent. */
async function fillFields(scope: Locator): Promise<void> {
  for (const field of await scope.locator('input:not([type=radio]):not([type=checkbox]), textarea').all()) {
    if (!(await field.isVisible()) || (await field.inputValue()) !== '') continue;
    const label = (await field.evaluate((element) => Reflect.get(element, 'labels')?.[0]?.textContent)) ?? '';
    const typed = /^Type (.+) to confirm$/.exec(label)?.[1];
    const isEmail = (await field.getAttribute('type')) === 'email';
    const likely = isEmail ? 'someone@example.test' : label === 'Allowed addresses' ? '192.0.2.1' : 'example';
    await field.fill(typed ?? likely).catch(() => undefined);
  }
}

async function nameOf(control: Locator): Promise<string> {
  const label = await control.getAttribute('aria-label');
  return (label ?? (await control.innerText())).trim().replace(/\s+/g, ' ');
}

async function startWalk(page: Page, address: string) {
  const refused = new Set<string>();
  // Scripts too: dialogs are loaded when they are first opened.
  const { pending, stop } = watchRequests(page, isPart);
  let doing = '';
  const onResponse = (response: { status(): number; url(): string; request(): Request }) => {
    if (response.status() !== 403) return;
    const path = new URL(response.url()).pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id');
    refused.add(`${address}, ${doing}: ${response.request().method()} ${path}`);
  };
  page.on('response', onResponse);
  const guard = '**/v1/**';
  await page.route(guard, (route, request) => {
    const isOwn = request.method() !== 'GET' && OWN_MATTERS.test(new URL(request.url()).pathname);
    return isOwn ? route.abort() : route.fallback();
  });
  let asked = 0;
  const onRequest = () => {
    asked += 1;
  };
  page.on('request', onRequest);
  /** Until two rounds of timers and frames have brought no request: a part of a page that is loaded late calls late. */
  const settle = async () => {
    const endMs = Date.now() + SETTLE_MAX_MS;
    for (let quiet = 0; quiet < QUIET_ROUNDS && Date.now() < endMs; ) {
      const before = asked;
      while (pending.size > 0 && Date.now() < endMs) await new Promise((done) => setTimeout(done, STEP_MS));
      await page.clock.runFor(TIMERS_MS);
      // What the timers brought about asks in the task after.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      quiet = asked === before && pending.size === 0 ? quiet + 1 : 0;
    }
  };
  return {
    refused,
    visit: async (after: string) => {
      doing = after;
      pending.clear();
      await visit(page, address);
      await page
        .locator('h1, h2')
        .first()
        .waitFor()
        .catch((cause: unknown) => {
          throw new Error(`${address} shows no heading`, { cause });
        });
      await settle();
    },
    press: async (control: Locator, name: string) => {
      doing = name;
      await control.click({ timeout: CLICK_MAX_MS }).catch(() => undefined);
      await settle();
    },
    end: async () => {
      stop();
      page.off('response', onResponse).off('request', onRequest);
      await page.unroute(guard);
    },
  };
}
