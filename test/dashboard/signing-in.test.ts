import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { createPasswordResetsStore } from '../../src/operators/own-account/password-resets.store.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.ts';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, PASSWORD, startDashboardStage } from '../support/dashboard-stage.ts';
import { callApi } from '../support/gateway.ts';
import { findFreePort } from '../support/ports.ts';

const NEW_PASSWORD = 'another long pass phrase';

let provider: AuthorizationServer;
let stage: DashboardStage;
/** What the identity provider says of its one account. */
let claims: Record<string, unknown> = {};

beforeAll(async () => {
  const port = await findFreePort();
  provider = await startAuthorizationServer({
    redirectUri: `http://127.0.0.1:${port}/auth/oidc/callback`,
    claims: () => claims,
  });
  stage = await startDashboardStage({
    port,
    env: {
      OIDC_ISSUER: provider.origin,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_ALLOWED_DOMAINS: 'example.test',
    },
  });
});

afterAll(async () => {
  await stage?.close();
  await provider?.close();
});

afterEach(() => expect(stage.takeFaults()).toEqual([]));

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const signIn = (email: string, password: string) =>
  callApi(stage.gateway.url, 'POST', '/v1/sessions', { body: { email, password } });

async function invite(projectId: string, email: string): Promise<string> {
  const { url } = await stage.call('POST', `/v1/projects/${projectId}/invitations`, {
    email,
    role: 'viewer',
  });
  return new URL(url).pathname + new URL(url).hash;
}

describe('the page of an invitation', () => {
  it('makes an account with a name and a password, and leads into the project', async () => {
    const page = await stage.openSignedOut();
    await page.goto(await invite(stage.project.id, 'grace@example.test'));
    await page.getByText('grace@example.test is invited as Viewer.').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('Your name').fill('Grace');
    await page.getByLabel('Choose a password', { exact: true }).fill('short');
    await button(page, 'Join project').click();
    await page.getByText('At least 12 characters').waitFor();
    await page.getByLabel('Choose a password', { exact: true }).fill(NEW_PASSWORD);
    await button(page, 'Join project').click();
    await heading(page, 'Home');
    expect(new URL(page.url()).pathname).toBe(`/p/${stage.project.id}`);
    await page.context().close();
  });

  it('asks an operator who is signed in for nothing, and one who is not for the password', async () => {
    const link = await invite(stage.otherProjectId, stage.emailOf('viewer'));
    const signedOut = await stage.openSignedOut();
    await signedOut.goto(link);
    await signedOut.getByText('You have an account with this e-mail').waitFor();
    await signedOut.getByLabel('Password', { exact: true }).fill('not the password');
    await button(signedOut, 'Join project').click();
    await signedOut.getByRole('alert').waitFor();
    await signedOut.context().close();
    const page = await stage.openAs('viewer');
    await page.goto(link);
    await page.getByText('You are signed in with this account.').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await button(page, 'Join project').click();
    await page.waitForURL(`**/p/${stage.otherProjectId}`);
    await page.close();
  });

  it('says that a link was used, and that one is incomplete', async () => {
    const page = await stage.openSignedOut();
    await page.goto('/invitation#used-already');
    await page.getByRole('alert').waitFor();
    await page.goto('/invitation');
    await page.getByText('This link is incomplete.').waitFor();
    await page.context().close();
  });
});

describe('the page of a new password', () => {
  it('takes the link out of the address, signs in, and works once', async () => {
    const email = stage.emailOf('stranger');
    const { members } = await stage.call('GET', `/v1/projects/${stage.otherProjectId}/members`);
    const { operatorId } = members.find((member: { email: string }) => member.email === email);
    const database = createDatabase({
      url: stage.gateway.databaseUrl ?? '',
      applicationName: 'test',
      poolMax: 1,
    });
    const token = await createPasswordResetsStore().insert(database.knex, operatorId);
    await database.close();
    const page = await stage.openSignedOut();
    const set = async (password: string) => {
      await page.goto(`/reset-password#${token}`);
      await page.getByLabel('New password', { exact: true }).fill(password);
      await button(page, 'Save and sign in').click();
    };
    await set(email);
    await page.getByText('Must not be made of the e-mail address').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    expect(new URL(page.url()).hash).toBe('');
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await button(page, 'Save and sign in').click();
    await page.waitForURL('**/p/*');
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, NEW_PASSWORD)).status).toBe(201);
    await set('yet another long phrase');
    await page.getByRole('alert').waitFor();
    await page.context().close();
  });
});

describe('a second factor', () => {
  it('is switched on with the password and a first code, asked for at the sign-in, and switched off', async () => {
    const page = await stage.openAs('admin');
    const otpOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) });
    await page.goto('/me');
    await button(page, 'Switch on').click();
    const section = page.locator('section').filter({ hasText: 'Second factor' });
    const password = section.getByLabel('Current password', { exact: true });
    await password.fill('not the password');
    await button(page, 'Continue').click();
    await section.getByText('Not your password').waitFor();
    await password.fill(PASSWORD);
    await button(page, 'Continue').click();
    await section.getByRole('img', { name: 'QR code' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    const secret = /[A-Z2-7]{32}/.exec(await section.innerText())?.[0] ?? '';
    const [recoveryCode = ''] = await section.getByRole('listitem').allInnerTexts();
    await section.getByLabel('Code that the app shows now').fill(otpOf(secret).generate());
    await button(page, 'Switch on').click();
    await page.getByText('Second factor is on').waitFor();

    const elsewhere = await stage.openSignedOut();
    await elsewhere.goto('/sign-in');
    await elsewhere.getByLabel('E-mail').fill(stage.emailOf('admin'));
    await elsewhere.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await button(elsewhere, 'Sign in').click();
    await heading(elsewhere, 'Second factor');
    await elsewhere.getByLabel('Code', { exact: true }).fill('000000');
    await button(elsewhere, 'Continue').click();
    await elsewhere.getByRole('alert').waitFor();
    await elsewhere.getByLabel('Code', { exact: true }).fill(recoveryCode);
    await button(elsewhere, 'Continue').click();
    await elsewhere.waitForURL('**/p/*');
    await elsewhere.context().close();

    await button(page, 'Switch off').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    // The step of now was used; the gateway takes the next one, too.
    const next = otpOf(secret).generate({ timestamp: Date.now() + 30_000 });
    await dialog.getByLabel('Code', { exact: true }).fill(next);
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Second factor is off').waitFor();
    await page.close();
  });
});

describe('single sign-on that does not work', () => {
  it.each([
    [
      'an unverified address',
      { email: 'new@example.test', email_verified: false },
      'has not verified this e-mail',
    ],
    [
      'another domain',
      { email: 'new@elsewhere.test', email_verified: true },
      'takes no accounts of this e-mail domain',
    ],
    [
      'an operator’s address',
      { email: 'viewer@example.test', email_verified: true },
      'that links the account',
    ],
  ])('is explained by the sign-in page: %s', async (_what, said, words) => {
    claims = { ...said, name: 'Colleague' };
    const page = await stage.openSignedOut();
    await page.goto('/sign-in?returnTo=%2Fme');
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
    await page.waitForURL(/error=/);
    await page.getByText(words).waitFor();
    await page.context().close();
  });

  it('is explained by its code where the page has no words for it', async () => {
    const page = await stage.openSignedOut();
    await page.goto('/sign-in?error=something_new');
    await page.getByText('Single sign-on did not work (something_new).').waitFor();
    await page.context().close();
  });
});

describe('a table', () => {
  it('has a cursor that j and k move and Enter opens, but not from within a field', async () => {
    const { id: projectId } = stage.project;
    const integration = await stage.call('POST', '/v1/integrations', {
      ...{ projectId, serviceProvider: 'hubspot', clientId: 'client', clientSecret: 'secret', scopes: [] },
    });
    for (const userId of ['user-1', 'user-2']) {
      const body = {
        integrationId: integration.id,
        userId,
        credentials: { accessToken: 'a', refreshToken: 'r' },
      };
      await stage.call('POST', '/v1/connections', body);
    }
    const page = await stage.openAs('owner');
    await visit(page, `/p/${projectId}/connections`);
    const row = (userId: string) => page.getByRole('row').filter({ hasText: userId });
    const isFocused = (userId: string) =>
      row(userId).evaluate((element) => element === element.ownerDocument.activeElement);
    // The newest comes first.
    await row('user-1').waitFor();
    await page.keyboard.press('j');
    expect(await isFocused('user-2')).toBe(true);
    await page.keyboard.press('j');
    expect(await isFocused('user-1')).toBe(true);
    await page.keyboard.press('k');
    expect(await isFocused('user-2')).toBe(true);
    await page.getByRole('searchbox').press('j');
    expect(await isFocused('user-2')).toBe(false);
    expect(await page.getByRole('searchbox').inputValue()).toBe('j');
    await page.getByRole('searchbox').fill('');
    await row('user-1').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/connections\/[0-9a-f-]{36}/);
    await page.close();
  });
});
