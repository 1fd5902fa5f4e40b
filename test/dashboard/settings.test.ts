import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { STREAMS, settle, visit, watchRequests } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { callApi } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';

let stage: DashboardStage;
let owner: Page;

beforeAll(async () => {
  stage = await startDashboardStage();
  owner = await stage.openAs('owner');
});

afterAll(() => stage?.close());

afterEach(() => expect(stage.takeFaults()).toEqual([]));

const SECTIONS = [
  'project',
  'branding',
  'api-keys',
  'signing-keys',
  'revocations',
  'users',
  'organizations',
  'members',
] as const;

async function open(page: Page, section: string): Promise<void> {
  await visit(page, `/p/${stage.project.id}/settings/${section}`);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const readProject = () => stage.call('GET', `/v1/projects/${stage.project.id}`);

describe('the settings of a project', () => {
  it('check a user token on the page, line by line, and send it nowhere', async () => {
    const token = stage.project.userToken('customer-17');
    const sent: string[] = [];
    owner.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await open(owner, 'signing-keys');
    const field = owner.getByLabel('User token', { exact: true });
    await field.fill(token);
    await button(owner, 'Check token').click();
    await owner.getByText('The gateway takes this token').waitFor();
    await owner.getByText('The user is customer-17.').waitFor();
    await field.fill(token.slice(0, -8) + token.slice(-8).split('').reverse().join(''));
    await button(owner, 'Check token').click();
    await owner.getByText('The gateway refuses this token').waitFor();
    await owner.getByText(/^Not signed by this key/).waitFor();
    expect(sent.filter((request) => request.includes(token.split('.')[1] ?? ''))).toEqual([]);
  });

  it('change its name and limit, and refuse a limit that is none', async () => {
    await open(owner, 'project');
    await owner.getByLabel('Name', { exact: true }).fill('Northwind');
    await owner.getByLabel('Proxied calls per user and minute').fill('many');
    await button(owner, 'Save').click();
    await owner.getByText('A whole number from 1 to 1,000,000').waitFor();
    await owner.getByLabel('Proxied calls per user and minute').fill('600');
    const answered = owner.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await button(owner, 'Save').click();
    expect((await answered).status()).toBe(200);
    await owner.getByText('Saved', { exact: true }).first().waitFor();
    expect(await readProject()).toMatchObject({ name: 'Northwind', limits: { proxyCallsPerMinute: 600 } });
  });

  it('ask every token for a mandate, and name the page for approvals, in the API’s words where it is refused', async () => {
    await open(owner, 'project');
    await owner.getByLabel('Page for approvals').fill('not an address');
    await owner.getByLabel('Every user token needs a mandate').check();
    await button(owner, 'Save rights').click();
    await owner.getByLabel('Page for approvals').and(owner.locator('[aria-invalid="true"]')).waitFor();
    await owner.getByLabel('Page for approvals').fill('https://app.example.com/approve');
    await button(owner, 'Save rights').click();
    await until(async () => (await readProject()).requireMandate === true);
    const asked = { requireMandate: true, approvalPage: 'https://app.example.com/approve' };
    expect(await readProject()).toMatchObject(asked);
    await owner.getByLabel('Every user token needs a mandate').uncheck();
    await owner.getByLabel('Page for approvals').fill('');
    await button(owner, 'Save rights').click();
    await until(async () => (await readProject()).requireMandate === false);
    expect((await readProject()).approvalPage).toBeNull();
  });

  it('name the OpenID provider that signs users in for agents, and keep its secret', async () => {
    await owner.route('**/v1/gateway', async (route) => {
      const response = await route.fetch();
      const publicUrl = 'https://gateway.example.com';
      await route.fulfill({ response, json: { ...(await response.json()), publicUrl } });
    });
    await open(owner, 'project');
    await owner.getByLabel('Users sign in by').selectOption('openid');
    // Of the gateway's own address, whichever the operator came by.
    const redirectUri = `https://gateway.example.com/agents/signed-in/${stage.project.id}`;
    await until(async () => (await owner.getByLabel('Redirect URI').inputValue()) === redirectUri);
    await owner.unroute('**/v1/gateway');
    await owner.getByLabel('Issuer').fill('https://login.example.com/?tenant=1');
    await owner.getByLabel('Client id', { exact: true }).fill('gateway');
    await owner.getByLabel('Client secret', { exact: true }).fill('a secret of the client');
    await owner.getByLabel('Clients may register themselves').check();
    await button(owner, 'Save sign-in').click();
    await owner.getByLabel('Issuer').and(owner.locator('[aria-invalid="true"]')).waitFor();
    await owner.getByLabel('Issuer').fill('https://login.example.com');
    await button(owner, 'Save sign-in').click();
    await until(async () => (await readProject()).agentSignIn !== null);
    await owner.getByLabel('Claim with your id of the user').fill('employee');
    await button(owner, 'Save sign-in').click();
    await until(async () => (await readProject()).agentSignIn.openid.userIdClaim === 'employee');
    expect((await readProject()).agentSignIn).toEqual({
      page: null,
      openid: {
        ...{ issuer: 'https://login.example.com', clientId: 'gateway', scopes: ['email'] },
        ...{ userIdClaim: 'employee', mandateId: null, hasClientSecret: true },
      },
      dynamicRegistration: true,
    });
    await owner.getByLabel('Users sign in by').selectOption('none');
    await button(owner, 'Save sign-in').click();
    await until(async () => (await readProject()).agentSignIn === null);
  });

  it('take origins and return URLs one by one, in the API’s words where one is refused', async () => {
    await open(owner, 'project');
    const origin = owner.getByLabel('Origin', { exact: true });
    await origin.fill('https://app.example.com/');
    await button(owner, 'Add origin').click();
    await owner.getByText('Write it as browsers send it').waitFor();
    await origin.fill('https://app.example.com');
    await button(owner, 'Add origin').click();
    await owner.getByRole('listitem').filter({ hasText: 'https://app.example.com' }).waitFor();
    await owner.getByLabel('Return URL', { exact: true }).fill('https://app.example.com/done');
    await button(owner, 'Add return URL').click();
    await owner.getByRole('listitem').filter({ hasText: 'https://app.example.com/done' }).waitFor();
    expect(await readProject()).toMatchObject({
      allowedOrigins: ['https://app.example.com'],
      returnUrls: ['https://app.example.com/done'],
    });
  });

  it('say of any address whether its page is allowed, by which entry, or how the nearest entry differs', async () => {
    await open(owner, 'project');
    const address = owner.getByLabel('Address of a page');
    await address.fill('https://app.example.com/done');
    await owner.getByText('Allowed by https://app.example.com', { exact: true }).waitFor();
    await owner.getByText('Allowed by https://app.example.com/done').waitFor();
    await address.fill('https://app.example.com/done/');
    await owner.getByText('only the slash at the end differs').waitFor();
    await address.fill('http://app.example.com/done');
    await owner.getByText('another scheme (http or https)').first().waitFor();
    await address.fill('app.example.com');
    await owner.getByText('Type a whole address').waitFor();
  });

  it('take back the removal of an origin, and remove it when the page is left', async () => {
    await open(owner, 'project');
    await button(owner, 'Remove https://app.example.com').click();
    await button(owner, 'Undo').click();
    await owner
      .getByRole('listitem')
      .filter({ hasText: /^https:\/\/app.example.com$/ })
      .waitFor();
    expect((await readProject()).allowedOrigins).toHaveLength(1);
    await button(owner, 'Remove https://app.example.com').click();
    await button(owner, 'Undo').waitFor();
    await owner.getByRole('link', { name: 'Members' }).click();
    await until(async () => (await readProject()).allowedOrigins.length === 0);
  });

  it('show the connect page in a branding before it is saved, and what its colour lacks', async () => {
    // An emulated scheme would hold within the frame too.
    const page = await stage.openAs('owner', { colorScheme: null });
    await open(page, 'branding');
    await page.getByLabel('Name shown to users').fill('Wide World');
    await page.getByLabel('Colour', { exact: true }).fill('#ffee00');
    await page.getByText('Too little contrast for text').waitFor();
    const preview = page.frameLocator('iframe');
    await preview.getByText('Wide World').waitFor();
    await preview.getByRole('heading', { name: 'Connect an account' }).waitFor();
    const brandOf = (element: unknown) =>
      getComputedStyle(Object(element)).getPropertyValue('--brand').trim();
    // The name alone may have been shown before the colour.
    await until(async () => (await preview.locator('html').evaluate(brandOf)) === '#ffee00');
    await page.getByText('Dark', { exact: true }).click();
    const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
    await until(() => preview.locator('html').evaluate(isDark));
    await page.getByText('Connected', { exact: true }).click();
    await preview
      .getByRole('heading', { level: 1 })
      .filter({ hasText: /connected/i })
      .waitFor();
    expect((await readProject()).branding).toEqual({});
    await button(page, 'Save').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await readProject()).branding).toEqual({ displayName: 'Wide World', color: '#ffee00' });
    await page.close();
  });

  it('frame the preview for the dashboard alone, without scripts, and refuse what is no branding', async () => {
    const path = `/v1/projects/${stage.project.id}/branding/preview`;
    const bearer = stage.project.personalAccessToken;
    const fetchPage = (query: string) => callApi(stage.gateway.url, 'GET', `${path}?${query}`, { bearer });
    const { headers, text } = await fetchPage(
      'page=failed&displayName=%3Cb%3E&logoUrl=https://cdn.example/x.png',
    );
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("script-src 'none'");
    expect(policy).toContain("img-src 'self' data: https://cdn.example");
    expect(text).toContain('&lt;b&gt;');
    for (const wrong of ['color=red', 'logoUrl=http://cdn.example/x.png', 'page=other', 'more=1'])
      expect((await fetchPage(wrong)).status).toBe(400);
  });
});

describe('API keys', () => {
  it('are shown once, in the page, and not lost without a question', async () => {
    await open(owner, 'api-keys');
    await button(owner, 'Create API key').click();
    await dialog(owner).getByLabel('Name').fill('Reports');
    await dialog(owner).getByLabel('Expires').selectOption({ label: 'In 30 days' });
    await dialog(owner).getByRole('button', { name: 'Create API key' }).click();
    const key = await owner.getByRole('region', { name: 'Key', exact: true }).innerText();
    expect(key).toMatch(/^igk_/);
    expect((await callApi(stage.gateway.url, 'GET', '/v1/projects', { bearer: key })).status).toBe(200);
    await owner.getByRole('link', { name: 'Members' }).click();
    await dialog(owner).getByText('Leave without the secret?').waitFor();
    await button(owner, 'Cancel').click();
    await owner.getByText(key).waitFor();
    await button(owner, 'I have stored it').click();
    await owner.getByText(key).waitFor({ state: 'detached' });
    await owner.reload();
    await row(owner, 'Reports').waitFor();
    expect(await owner.content()).not.toContain(key);
  });

  it('are rotated with an overlap, and revoked after saying whether something uses them', async () => {
    await open(owner, 'api-keys');
    await button(owner, 'Actions of Reports').click();
    await owner.getByRole('menuitem', { name: 'Rotate' }).click();
    await dialog(owner).getByLabel('The old key works for another').selectOption({ label: 'hour' });
    await dialog(owner).getByRole('button', { name: 'Rotate' }).click();
    const key = await owner.getByRole('region', { name: 'Key', exact: true }).innerText();
    await button(owner, 'I have stored it').click();
    await row(owner, 'Reports').filter({ hasText: 'Ends soon' }).waitFor();
    expect(await row(owner, 'Reports').count()).toBe(2);
    await row(owner, 'Never used')
      .filter({ hasText: 'Reports' })
      .getByRole('button', { name: 'Actions of' })
      .click();
    await owner.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog(owner).getByText('It was never used.').waitFor();
    await dialog(owner).getByRole('button', { name: 'Revoke' }).click();
    await owner.getByText('Reports revoked').waitFor();
    expect((await callApi(stage.gateway.url, 'GET', '/v1/projects', { bearer: key })).status).toBe(401);
  });
});

describe('what an API key may do', () => {
  const readKey = async (name: string) => {
    const { apiKeys } = await stage.call('GET', `/v1/projects/${stage.project.id}/api-keys`);
    return apiKeys.find((key: { name: string }) => key.name === name);
  };
  const submit = (name: string) => dialog(owner).getByRole('button', { name, exact: true }).click();

  it('is chosen by its use, with the addresses that it may come from, and shown in the list', async () => {
    await open(owner, 'api-keys');
    await button(owner, 'Create API key').click();
    await dialog(owner).getByLabel('Name').fill('Least');
    await dialog(owner).getByLabel('What it may do').selectOption({ label: 'Backend' });
    await dialog(owner)
      .getByText(/^Mints user tokens, connects and disconnects accounts/)
      .waitFor();
    await dialog(owner).getByLabel('Allowed addresses').fill('192.0.2.0/24\nlocalhost');
    await submit('Create API key');
    await dialog(owner)
      .getByText(/^Must be an IPv4 or IPv6 range/)
      .waitFor();
    await dialog(owner).getByLabel('Allowed addresses').fill('192.0.2.9/24, ::ffff:10.0.0.1');
    await submit('Create API key');
    await button(owner, 'I have stored it').click();
    await row(owner, 'Least').filter({ hasText: 'Backend · from 192.0.2.0/24, 10.0.0.1/32' }).waitFor();
    expect((await readKey('Least')).scopes).toEqual([
      ...['integrations:read', 'connections:write', 'users:tokens', 'connect', 'events:read'],
    ]);
    await row(owner, 'Reports').filter({ hasText: 'Everything' }).waitFor();
  });

  it('is changed by the keyboard, scope by scope, beginning with those that it has', async () => {
    await open(owner, 'api-keys');
    await button(owner, 'Actions of Least').focus();
    await owner.keyboard.press('Enter');
    await owner.getByRole('menuitem', { name: 'Change' }).waitFor();
    await owner.keyboard.press('ArrowDown');
    await owner.keyboard.press('Enter');
    await dialog(owner).getByLabel('What it may do').selectOption({ label: 'Custom' });
    const box = (scope: string) => dialog(owner).getByRole('checkbox', { name: scope, exact: true });
    expect(await box('connections:read').isChecked()).toBe(true);
    expect(await box('connections:read').isDisabled()).toBe(true);
    expect(await box('polls').isChecked()).toBe(false);
    await box('connections:write').focus();
    await owner.keyboard.press('Space');
    expect(await box('connections:read').isChecked()).toBe(false);
    for (const scope of ['integrations:read', 'users:tokens', 'connect', 'events:read'])
      await box(scope).uncheck();
    await submit('Save');
    await dialog(owner).getByText('Choose at least one.').waitFor();
    await box('polls').check();
    await dialog(owner).getByLabel('Allowed addresses').fill('');
    await submit('Save');
    await row(owner, 'Least').filter({ hasText: 'polls' }).waitFor();
    expect(await readKey('Least')).toMatchObject({ scopes: ['polls'], allowedAddresses: null });
    await visit(owner, `/p/${stage.project.id}/activity?action=api_key.updated`);
    await owner.getByText('Least: name, scopes, allowed addresses').waitFor();
  });

  it('is legible and without faults on a phone', async () => {
    const phone = await stage.openAs('admin', { viewport: { width: 390, height: 844 } });
    await open(phone, 'api-keys');
    await button(phone, 'Create API key').click();
    await dialog(phone).getByLabel('What it may do').selectOption({ label: 'Custom' });
    await dialog(phone).getByRole('checkbox', { name: 'approvals' }).scrollIntoViewIfNeeded();
    expect(await findingsInBothSchemes(phone)).toEqual([]);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await phone.context().close();
  });
});

describe('signing keys', () => {
  it('are recognized when pasted, private ones refused before they are sent', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    await open(owner, 'signing-keys');
    await button(owner, 'Add signing key').click();
    await dialog(owner).getByText('My backend signs tokens itself').click();
    await button(owner, 'Continue').click();
    const field = dialog(owner).getByLabel('Public key');
    await field.fill(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    await dialog(owner).getByText('This is a private key').waitFor();
    await field.fill(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    await dialog(owner).getByText('Recognized: ES384').waitFor();
    await dialog(owner).getByLabel('Key id (kid)').fill('2026-11');
    await dialog(owner).getByRole('button', { name: 'Add signing key' }).click();
    await row(owner, '2026-11').filter({ hasText: 'ES384' }).waitFor();
  });

  it('of an identity provider are fetched and shown before its address is saved', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    const keys = [
      { ...jwk, kid: 'good', use: 'sig' },
      { ...jwk, kid: 'for-encryption', use: 'enc' },
    ];
    const server = createServer((request, response) => {
      if (request.url === '/jwks.json') response.end(JSON.stringify({ keys }));
      else response.writeHead(404).end();
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    try {
      await open(owner, 'signing-keys');
      await button(owner, 'Add signing key').click();
      await dialog(owner).getByText('My users have tokens of an identity provider').click();
      await button(owner, 'Continue').click();
      await dialog(owner).getByLabel('JWKS address').fill(`${url}/missing`);
      await button(owner, 'Fetch keys').click();
      await dialog(owner).getByText('the key set answered 404').waitFor();
      await dialog(owner).getByLabel('JWKS address').fill(`${url}/jwks.json`);
      await button(owner, 'Fetch again').click();
      await dialog(owner).getByText('1 of 2 keys can verify user tokens').waitFor();
      await dialog(owner).getByText('The JWK is not meant for signatures').waitFor();
      await dialog(owner).getByLabel('Issuer (iss)').fill('https://login.example/');
      await dialog(owner).getByRole('button', { name: 'Add signing key' }).click();
      await row(owner, `${url}/jwks.json`).waitFor();
    } finally {
      server.close();
    }
  });

  it('come with code per language, which is that of the examples', async () => {
    await open(owner, 'signing-keys');
    await owner.getByText('Python', { exact: true }).click();
    const shown = await owner.getByRole('region', { name: 'Python' }).innerText();
    const folder = resolve(import.meta.dirname, '../..');
    const samples = 'src/web/dashboard/src/pages/settings/tokens/samples';
    for (const [sample, example] of Object.entries(EXAMPLES)) {
      const read = (path: string) => readFileSync(resolve(folder, path), 'utf8');
      expect(read(`${samples}/${sample}.txt`)).toBe(read(`examples/user-tokens/${example}`));
    }
    expect(shown).toContain('def user_token(user_id: str)');
    await owner.getByText(`PROJECT_ID=${stage.project.id}`).waitFor();
  });

  const EXAMPLES = {
    node: 'node/jsonwebtoken.mjs',
    python: 'python/user_token.py',
    ruby: 'ruby/user_token.rb',
    go: 'go/main.go',
    php: 'php/user_token.php',
    java: 'java/UserToken.java',
  };

  it('are revoked after saying what stops', async () => {
    await open(owner, 'signing-keys');
    await button(owner, 'Revoke: 2026-11').click();
    await dialog(owner).getByText('refused at once, on every replica').waitFor();
    await dialog(owner).getByRole('button', { name: 'Revoke' }).click();
    await row(owner, '2026-11').waitFor({ state: 'detached' });
  });
});

describe('users and their tokens', () => {
  const connections = (token: string) =>
    callApi(stage.gateway.url, 'GET', '/v1/connections', { bearer: token });

  it('are revoked from the list of users, and good again when that is taken back', async () => {
    const token = stage.project.userToken('user-17', { claims: { iat: Math.floor(Date.now() / 1000) - 60 } });
    expect((await connections(token)).status).toBe(200);
    await open(owner, 'users');
    await row(owner, 'user-17').getByRole('link', { name: 'Revoke tokens' }).click();
    await dialog(owner).getByText('user-17 is signed out of the gateway').waitFor();
    await dialog(owner).getByRole('button', { name: 'Revoke tokens' }).click();
    await row(owner, 'of user user-17').waitFor();
    expect((await connections(token)).body.code).toBe('token_revoked');
    await button(owner, 'Take back: of user user-17').click();
    await dialog(owner).getByRole('button', { name: 'Take back' }).click();
    await owner.getByText('No tokens are revoked').waitFor();
    expect((await connections(token)).status).toBe(200);
  });

  it('are found by their whole id, with links to their connections', async () => {
    await open(owner, 'users');
    await owner.getByRole('searchbox').fill('user-17');
    await owner.waitForURL(/userId=user-17/);
    const link = row(owner, 'user-17').getByRole('link', { name: 'Show connections' });
    expect(await link.getAttribute('href')).toBe(`/p/${stage.project.id}/connections?userId=user-17`);
  });

  it('of everyone are revoked only after a second look', async () => {
    await open(owner, 'revocations');
    await button(owner, 'Revoke user tokens').click();
    await dialog(owner).getByText('Everyone’s').click();
    await dialog(owner).getByRole('button', { name: 'Revoke tokens' }).click();
    await dialog(owner).getByText('Revoke the tokens of everyone?').waitFor();
    await button(owner, 'Cancel').click();
    await dialog(owner).waitFor({ state: 'detached' });
    expect((await stage.call('GET', `/v1/projects/${stage.project.id}/revocations`)).revocations).toEqual([]);
  });
});

describe('members', () => {
  it('are invited by a link that is shown once and listed until it is withdrawn', async () => {
    await open(owner, 'members');
    await button(owner, 'Invite').click();
    await dialog(owner).getByLabel('E-mail').fill('grace@example.test');
    await dialog(owner).getByText('Viewer', { exact: true }).click();
    await button(owner, 'Create invitation').click();
    const url = await owner.getByRole('region', { name: 'Invitation link' }).innerText();
    expect(url).toMatch(/\/invitation#.+/);
    await owner.getByText('This gateway sends no mail').waitFor();
    await button(owner, 'I have stored it').click();
    await row(owner, 'grace@example.test')
      .filter({ hasText: 'Link only' })
      .filter({ hasText: 'Invited' })
      .waitFor();
    await button(owner, 'Withdraw: grace@example.test').click();
    await dialog(owner).getByRole('button', { name: 'Withdraw' }).click();
    await owner.getByText('No open invitations.').waitFor();
  });

  it('to be see the invitation on their own page and in their menu, and accept or decline it', async () => {
    const admin = await stage.openAs('admin');
    const invite = async (name: string) => {
      const { id } = await stage.call('POST', '/v1/projects', { name });
      const body = { email: stage.emailOf('admin'), role: 'viewer' };
      await stage.call('POST', `/v1/projects/${id}/invitations`, body);
      return id;
    };
    await stage.verify('admin');
    const wanted = await invite('Wanted');
    await invite('Unwanted');
    await visit(admin, '/');
    await button(admin, 'Your account').click();
    await admin.getByRole('menuitem', { name: '2 invitations' }).click();
    await button(admin, 'Decline: Unwanted').click();
    await admin.getByText('Invitation to Unwanted declined').waitFor();
    await button(admin, 'Accept: Wanted').click();
    await admin.getByText('You are a member of Wanted now').waitFor();
    await admin.getByRole('table', { name: 'Invitations' }).waitFor({ state: 'detached' });
    const { members } = await stage.call('GET', `/v1/projects/${wanted}/members`);
    expect(members).toHaveLength(2);
    await stage.call('DELETE', `/v1/projects/${wanted}`);
    await admin.close();
  });

  it('change role at once; the last owner says why that one cannot', async () => {
    await open(owner, 'members');
    await owner.getByLabel('Role of Admin Person').selectOption({ label: 'Viewer' });
    await owner.getByText('Admin Person is now Viewer').waitFor();
    await owner.getByLabel('Role of Admin Person').selectOption({ label: 'Admin' });
    await owner.getByText('Admin Person is now Admin').waitFor();
    await owner.getByRole('img', { name: /The last owner. Make another member an owner first/ }).waitFor();
    expect(await button(owner, 'Leave project').count()).toBe(0);
  });

  it('whose role was changed meanwhile are offered only what it allows, once something is refused', async () => {
    const admin = await stage.openAs('admin');
    await open(admin, 'api-keys');
    await button(admin, 'Create API key').click();
    await dialog(admin).getByLabel('Name', { exact: true }).fill('Refused');
    const { members } = await stage.call('GET', `/v1/projects/${stage.project.id}/members`);
    const { operatorId } = members.find(({ email }: { email: string }) => email === stage.emailOf('admin'));
    const give = (role: string) =>
      stage.call('PATCH', `/v1/projects/${stage.project.id}/members/${operatorId}`, { role });
    await give('viewer');
    await dialog(admin).getByRole('button', { name: 'Create API key' }).click();
    await admin.getByText('Role does not allow this').waitFor();
    await button(admin, 'Cancel').click();
    await button(admin, 'Create API key').waitFor({ state: 'detached' });
    await give('admin');
    await admin.close();
  });

  it('who are admins change no owner, and invite none', async () => {
    const admin = await stage.openAs('admin');
    await open(admin, 'members');
    await button(admin, 'Invite').click();
    await dialog(admin).getByRole('radio', { name: /Admin/ }).waitFor();
    expect(await dialog(admin).getByRole('radio', { name: /Owner/ }).count()).toBe(0);
    await button(admin, 'Cancel').click();
    await admin.getByLabel('Role of Viewer Person').waitFor();
    expect(await admin.getByRole('button', { name: `Remove: ${stage.emailOf('owner')}` }).count()).toBe(0);
    await open(admin, 'project');
    await admin.getByText('Only an owner can delete the project.').waitFor();
    await admin.close();
  });
});

describe('every section of the settings', () => {
  it('has no serious accessibility fault, in light and dark', async () => {
    const findings: string[] = [];
    const { pending, stop } = watchRequests(owner, (request) => !STREAMS.test(request.url()));
    for (const section of SECTIONS) {
      await open(owner, section);
      await settle(owner, pending);
      findings.push(...(await findingsInBothSchemes(owner)).map((finding) => `${section}: ${finding}`));
    }
    stop();
    expect(findings).toEqual([]);
  });

  it('speaks German and Spanish', async () => {
    const speak = (language: string) =>
      owner.evaluate((chosen) => localStorage.setItem('dashboard-language', chosen), language);
    for (const [language, title] of [
      ['de', 'Einstellungen'],
      ['es', 'Ajustes'],
    ] as const) {
      await speak(language);
      await owner.goto(`/p/${stage.project.id}/settings/members`);
      await owner.getByRole('heading', { name: title, level: 1 }).waitFor();
    }
    await speak('en');
    await owner.reload();
  });

  it('says that there is nothing at an unknown one, as the events do, within the frame', async () => {
    for (const area of ['settings', 'events']) {
      await visit(owner, `/p/${stage.project.id}/${area}/nothing`);
      await owner.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      await owner.getByRole('navigation').first().waitFor();
    }
  });
});

describe('the end of a project', () => {
  it('is said in numbers, takes its name, and leads away from its pages', async () => {
    const { id } = await stage.call('POST', '/v1/projects', { name: 'Short-lived' });
    const integration = await stage.call('POST', '/v1/integrations', {
      projectId: id,
      serviceProvider: 'hubspot',
      clientId: 'client',
      clientSecret: 'secret',
      scopes: [],
    });
    const credentials = { accessToken: 'access', refreshToken: 'refresh' };
    for (const userId of ['user-1', 'user-2'])
      await stage.call('POST', '/v1/connections', { integrationId: integration.id, userId, credentials });
    await visit(owner, `/p/${id}/settings`);
    await button(owner, 'Delete project').click();
    await dialog(owner).getByText('2 connections of 2 users stop working at once').waitFor();
    const confirm = dialog(owner).getByRole('button', { name: 'Delete project' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(owner).getByLabel('Type Short-lived to confirm').fill('Short-lived');
    await confirm.click();
    await owner.getByText('Short-lived deleted').waitFor();
    await owner.waitForURL((url) => !url.pathname.includes(id));
    await visit(owner, `/p/${id}/settings`);
    await owner.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });
});
