import type { Page } from 'playwright-core';
import { askApproval } from '../support/approval-stage.ts';
import { answerWithFault, isPart, settle, visit, watchRequests } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { findRefusedControls, prepareWalk } from '../support/refused-controls.ts';

/** Longer than any page takes to show what failed, beside eight busy loops too. */
const SHOWN_MS_MAX = 60_000;

let stage: DashboardStage;
/** Of things in the project, and of none where a page needs no such thing to be looked at. */
let samples: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  stage = await startDashboardStage();
  const { id: projectId, userToken } = stage.project;
  const client = { clientId: 'client', clientSecret: 'secret' };
  const integration = await stage.call('POST', '/v1/integrations', {
    ...{ ...client, projectId, serviceProvider: 'hubspot', scopes: ['crm.objects.contacts.read'] },
  });
  const connection = await stage.call('POST', '/v1/connections', {
    integrationId: integration.id,
    userId: 'user-1',
    credentials: { accessToken: 'access', refreshToken: 'refresh' },
  });
  await fetch(`${stage.gateway.url}/projects/${projectId}/proxy/github/user`, {
    headers: { authorization: `Bearer ${userToken('user-1')}` },
  });
  const destination = await stage.call('POST', '/v1/event-destinations', {
    ...{ projectId, url: 'http://127.0.0.1:9/', types: ['*'] },
  });
  const poll = await stage.call('POST', '/v1/polls', {
    ...{ integrationId: integration.id, resource: 'contacts', intervalSeconds: 300 },
  });
  const mandate = await stage.call('POST', `/v1/projects/${projectId}/mandates`, {
    name: 'Reading',
    entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }],
  });
  samples = {
    projectId: [projectId],
    integrationId: [integration.id],
    connectionId: [connection.id],
    approvalId: [await askApproval(stage.gateway, stage.project, { userId: 'user-1', provider: 'hubspot' })],
    mandateId: [mandate.id],
    requestId: ['019a0000-0000-7000-8000-000000000000'],
    'events/section': ['destinations', 'deliveries', 'webhooks', 'polls'],
    destinationId: [destination.id],
    pollId: [poll.id],
    section: [
      ...['project', 'branding', 'api-keys', 'signing-keys', 'revocations', 'users', 'members'],
      ...['organizations', 'configuration'],
    ],
    provider: ['custom:none'],
  };
});

afterAll(() => stage?.close());

/** Every address that the dashboard's router knows behind the sign-in, with things of the project for its parameters. */
async function addressesOf(page: Page): Promise<string[]> {
  await page.goto('/me');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const paths = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)');
  const isBehindSignIn = (path: string) => !/^\/(sign-in|setup|invitation|reset-password)?$/.test(path);
  return [...new Set(paths.filter(isBehindSignIn).flatMap(fill))];
}

function fill(path: string): string[] {
  const name = /\$(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path.replace(/\/\$?$/, '') || '/'];
  // Two areas have a parameter of this name.
  const values = samples[path.includes('/events/') ? `events/${name}` : name] ?? samples[name];
  if (values === undefined) throw new Error(`${path}: this test needs an example of ${name}`);
  return values.flatMap((value) => fill(path.replace(`$${name}`, value)));
}

let failures = 0;

/** Pages that are one list or one form, which tells its own failure wherever it stands. */
const ONE_PART =
  /\/(?:settings(?!\/members).*|new|connections|events|destinations|polls|calls\/.*|console|activity|gateway)$/;

/** Only names, logos, filters' choices and asides come from these: without them the page still says what is so. */
const ASIDES: readonly (readonly [page: RegExp, path: RegExp])[] = [
  [/./, /^\/v1\/(?:gateway|operators\/me|projects|projects\/[^/]+|providers|providers\/[^/]+)$/],
  [/\/integrations$/, /\/catalog$/],
  // Whether the provider has ever worked here: a line that is left out where it is not known.
  [/\/integrations\/[^/]+$/, /\/provider-evidence$/],
  [/\/calls$/, /\/integrations$/],
  [/\/deliveries$/, /\/event-destinations$/],
  // The frame tells of an unknown role, the same on every page of a project.
  [/^\/p\/[^/]+\/(?!settings\/members)/, /\/members$/],
  // Home's field for a first call.
  [/^\/p\/[^/]+$/, /^\/v1\/connections$/],
];

/** What the page at this address reads of the API, but for asides. */
async function pathsRead(page: Page, address: string): Promise<string[]> {
  const paths = new Set<string>();
  const { pending, stop } = watchRequests(page, (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/v1/')) paths.add(pathname);
    return isPart(request);
  });
  await visit(page, address);
  await settle(page, pending);
  stop();
  return [...paths].filter((path) => !ASIDES.some(([of, aside]) => of.test(address) && aside.test(path)));
}

/**
 * Whether the page that is shown says so when it cannot read this, with nothing known of before. True as well where it
 * does not ask for it: a page before had.
 */
async function tellsFailure(page: Page, path: string): Promise<boolean> {
  failures += 1;
  const title = `Fault ${failures}`;
  const isRead = ({ pathname }: URL) => pathname === path;
  let isAsked = false;
  await page.route(isRead, (route) => {
    isAsked = true;
    return answerWithFault(route, title);
  });
  const { pending, stop } = watchRequests(page, (request) =>
    new URL(request.url()).pathname.startsWith('/v1/'),
  );
  await page.evaluate('void __TSR_ROUTER__.options.context.queryClient.resetQueries()');
  const shown = page.getByText(title, { exact: true }).first().waitFor({ timeout: SHOWN_MS_MAX });
  const isShown = shown.then(
    () => true,
    () => false,
  );
  // A page that has read everything without asking for this shows nothing of it, however long one waits.
  const settled = settle(page, pending).then(() => (isAsked ? isShown : true));
  const tells = await Promise.race([isShown, settled]);
  stop();
  await page.unroute(isRead);
  return tells || !isAsked;
}

describe('every page of the dashboard', () => {
  it('tells what it could not read', async () => {
    const page = await stage.openAs('owner');
    const silent: string[] = [];
    let reads = 0;
    const addresses = (await addressesOf(page)).filter((address) => !ONE_PART.test(address));
    for (const address of addresses)
      for (const path of await pathsRead(page, address)) {
        reads += 1;
        if (!(await tellsFailure(page, path))) silent.push(`${address} without ${path}`);
      }
    await page.close();
    expect(silent).toEqual([]);
    expect(reads).toBeGreaterThan(25);
  });

  it('offers viewers nothing that the API refuses to them', async () => {
    const page = await stage.openAs('viewer');
    await prepareWalk(page);
    const addresses = await addressesOf(page);
    expect(addresses.length).toBeGreaterThan(15);
    const refused: string[] = [];
    for (const address of addresses) refused.push(...(await findRefusedControls(page, address)));
    await page.close();
    expect(refused).toEqual([]);
  });

  it('would be caught offering more: members and keys, by a page that takes the viewer for an owner', async () => {
    const page = await stage.openAs('viewer', { locale: 'en-US' });
    await prepareWalk(page);
    await page.route('**/v1/projects/*/members?*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll('"viewer"', '"owner"');
      await route.fulfill({ response, body: text });
    });
    await page.route('**/v1/projects/*/members', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('"viewer"', '"owner"') });
    });
    const settings = `/p/${stage.project.id}/settings`;
    const refused = [
      ...(await findRefusedControls(page, `${settings}/members`)),
      ...(await findRefusedControls(page, `${settings}/api-keys`)),
    ];
    await page.close();
    const text = refused.join('\n');
    expect(text).toContain('POST /v1/projects/:id/invitations');
    expect(text).toContain('POST /v1/projects/:id/api-keys');
  });

  it('of a project answers a stranger as one that does not exist', async () => {
    const page = await stage.openAs('stranger');
    const addresses = (await addressesOf(page)).filter((address) => address.startsWith('/p/'));
    for (const address of addresses) {
      await visit(page, address);
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      expect(await page.content()).not.toContain('End-to-end');
    }
    await page.close();
  });
});
