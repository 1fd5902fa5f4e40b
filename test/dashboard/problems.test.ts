import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { callApi } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let stage: DashboardStage;

beforeAll(async () => {
  stage = await startDashboardStage();
});

afterAll(() => stage?.close());

afterEach(() => expect(stage.takeFaults()).toEqual([]));

const GERMAN = { locale: 'de-DE' };
const SPANISH = { locale: 'es-ES' };
const CONNECTIONS = /\/v1\/projects\/[^/]+\/connections/;
const WORDS = /\/assets\/(problem-wording|requests|objects|resources|messages)-/;

/** Notes which words of problems the page loads. */
function watchWords(page: Page): string[] {
  const loaded: string[] = [];
  page.on('request', (request) => {
    const [, name = ''] = WORDS.exec(request.url()) ?? [];
    if (name !== '') loaded.push(name);
  });
  return loaded;
}

async function openSignedOut(language: string): Promise<Page> {
  const page = await stage.openSignedOut();
  await page.addInitScript(`localStorage.setItem('dashboard-language', '${language}')`);
  return page;
}

/** What is marked as English on a page in another language. */
const inEnglish = (page: Page) => page.getByRole('alert').locator('[lang=en]').allTextContents();

describe('a refusal', () => {
  it('of signing in is in the language of the page, whose words come with the first of them', async () => {
    const page = await openSignedOut('de');
    const loaded = watchWords(page);
    await page.goto('/sign-in');
    await page.getByLabel('E-Mail').fill('nobody@example.test');
    await page.getByLabel('Passwort', { exact: true }).fill('not the password');
    expect(loaded).toEqual([]);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'Anmeldung abgelehnt' }).waitFor();
    expect(await alert.textContent()).toContain(
      'E-Mail-Adresse und Passwort passen nicht zusammen. Prüfen Sie',
    );
    expect(await inEnglish(page)).toEqual([]);
    expect(loaded).not.toEqual([]);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.context().close();
  });

  it('is in Spanish on the page of an invitation, and in the API’s own words in English', async () => {
    for (const [language, title] of [
      ['es', 'El enlace ya no vale'],
      ['en', 'Link no longer valid'],
    ] as const) {
      const page = await openSignedOut(language);
      const loaded = watchWords(page);
      await page.goto('/invitation#used-already');
      await page.getByRole('alert').getByRole('heading', { name: title }).waitFor();
      expect(await inEnglish(page)).toEqual([]);
      expect(loaded.length > 0).toBe(language !== 'en');
      await page.context().close();
    }
  });

  it('has a detail of its own in English, marked so, below its title', async () => {
    const page = await stage.openAs('owner', GERMAN);
    const detail = 'The organization is not in this list.';
    await page.route(CONNECTIONS, (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          status: 400,
          code: 'invalid_request',
          title: 'Invalid request',
          detail,
          remedy: 'Correct what `errors` lists; the API reference shows every parameter.',
          requestId: null,
          errors: [
            { path: 'query.limit', message: 'must be at most 100' },
            { path: 'query.sort', message: 'is sorted by nothing that is known' },
          ],
        }),
      }),
    );
    await page.goto(`/p/${stage.project.id}/connections`);
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'Ungültige Eingabe' }).waitFor();
    await alert.getByText('query.limit: Erwartet wird: höchstens 100').waitFor();
    expect(await inEnglish(page)).toEqual([detail, 'query.sort: is sorted by nothing that is known']);
    await page.close();
  });

  it('is shown as the API words it where its code is new', async () => {
    const page = await stage.openAs('owner', SPANISH);
    const problem = { status: 409, code: 'of_tomorrow', title: 'New', detail: 'So it is.', remedy: 'Wait.' };
    await page.route(CONNECTIONS, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...problem, requestId: null }),
      }),
    );
    await page.goto(`/p/${stage.project.id}/connections`);
    await page.getByRole('alert').getByRole('heading', { name: 'New' }).waitFor();
    expect(await inEnglish(page)).toEqual(['New', 'So it is.', 'Wait.']);
    await page.close();
  });
});

describe('what is wrong with a field', () => {
  it('is said in the language of the page', async () => {
    const page = await stage.openAs('owner', GERMAN);
    await page.goto(`/p/${stage.project.id}/settings/project`);
    const origin = page.getByLabel('Origin', { exact: true });
    await origin.fill('https://*.example.com');
    await page.getByRole('button', { name: 'Origin hinzufügen' }).click();
    await page.getByText('Platzhalter werden nicht angenommen: Tragen Sie jeden Origin ein').waitFor();
    expect(await origin.getAttribute('aria-invalid')).toBe('true');
    await page.close();
  });

  it('is said in Spanish of the URL of an event destination', async () => {
    const page = await stage.openAs('owner', SPANISH);
    await page.goto(`/p/${stage.project.id}/events/destinations`);
    await page.getByRole('button', { name: 'Crear destino' }).first().click();
    await page.getByRole('dialog').getByLabel('URL', { exact: true }).fill('https://user:secret@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Crear destino' }).click();
    await page.getByText('Sin usuario ni contraseña', { exact: true }).waitFor();
    await page.close();
  });
});

it('a toast about a refusal is in the language of the page', async () => {
  const page = await stage.openAs('owner', GERMAN);
  await stage.call('PATCH', `/v1/projects/${stage.project.id}`, {
    allowedOrigins: ['https://a.example.com'],
  });
  await page.goto(`/p/${stage.project.id}/settings/project`);
  await page.route('**/v1/projects/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            status: 403,
            code: 'insufficient_role',
            title: 'Role does not allow this',
            detail: 'Your role in the project does not allow this operation.',
            remedy: 'Ask an owner of the project to do it or to raise your role.',
            requestId: null,
          }),
        })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'https://a.example.com entfernen' }).click();
  await page.getByText('Bitten Sie einen Inhaber des Projekts, es zu tun').waitFor({ timeout: 30_000 });
  await page.close();
});

it('the page of a call says in its language what to do about the gateway’s error', async () => {
  const { id } = stage.project;
  const { token } = await stage.call('POST', '/v1/user-tokens', { projectId: id, expiresIn: 60 });
  const { proxyUrl } = await stage.call('GET', '/v1/gateway');
  const refused = await fetch(`${proxyUrl}/projects/${id}/proxy/hubspot/crm/v3/objects/contacts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(refused.headers.get('gateway-error')).toBe('integration_not_found');
  const requestId = refused.headers.get('gateway-request-id');
  const { personalAccessToken: bearer } = stage.project;
  await until(async () => {
    const kept = await callApi(stage.gateway.url, 'GET', `/v1/projects/${id}/calls/${requestId}`, { bearer });
    return kept.status === 200;
  });
  const page = await stage.openAs('owner', GERMAN);
  await page.goto(`/p/${id}/calls/${requestId}`);
  await page.getByText('Legen Sie eine Integration für den Anbieter an, oder prüfen Sie die ID.').waitFor();
  await page.close();
});
