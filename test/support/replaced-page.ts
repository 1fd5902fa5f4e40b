import type { Page } from 'playwright-core';
import { replaceBuilds } from './dashboard-builds.ts';
import type { DashboardStage } from './dashboard-stage.ts';
import { navigation } from './dashboard-tasks.ts';
import { OPERATOR } from './gateway.ts';
import { until } from './until.ts';

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first();

/** A page whose build a test replaces, and how often it has been loaded. */
export async function openReplacedPage(stage: DashboardStage) {
  // A context of its own, whose builds no other test replaces.
  const page = await stage.openSignedOut();
  await page.request.post('/v1/sessions', {
    data: { email: OPERATOR.email, password: OPERATOR.password },
    headers: { origin: stage.gateway.url },
  });
  const replace = await replaceBuilds(page.context());
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.goto('/me');
  await heading(page).waitFor();
  const close = async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  };
  return { page, replace, countLoads: () => loads, close };
}

export type OpenedPage = Awaited<ReturnType<typeof openReplacedPage>>;

/** Looks at the frame, which is there after each step. */
export async function seeFrame(page: Page): Promise<void> {
  await navigation(page).waitFor();
  await heading(page).waitFor();
  expect(await page.getByText('This page has a fault').count()).toBe(0);
}

/** Holds the answer to a change back until the function that this gives back is called. */
export async function holdAnswer(page: Page, method: string, path: RegExp) {
  const statuses: number[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    ({ pathname }) => path.test(pathname.replace('/v1', '')),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      const response = await route.fetch();
      statuses.push(response.status());
      await released;
      await route.fulfill({ response });
    },
  );
  return { release, arrives: () => until(() => statuses.length > 0), statuses: () => statuses };
}
