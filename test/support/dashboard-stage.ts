import pg from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { openContext, startBrowser } from './browser.ts';
import { buildDashboard, noteFaults } from './dashboard.ts';
import {
  callApiOk,
  createProject,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from './gateway.ts';
import type { GatewayOptions } from './gateway-environment.ts';

export type Actor = 'owner' | 'admin' | 'viewer' | 'stranger';

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Of everybody but the owner. */
export const PASSWORD = 'a long enough pass phrase';
/** Beyond what a page takes beside eight busy loops; a file whose every test waits that long still ends by itself. */
const WAIT_MS = 60_000;

export type DashboardStage = {
  readonly gateway: Gateway;
  readonly browser: Browser;
  readonly project: Project;
  /** Of another owner's project, in which none but the stranger and the owner of the first is a member. */
  readonly otherProjectId: string;
  readonly emailOf: (actor: Actor) => string;
  /** A new window of a signed-in operator; with what its pages may not do noted in `faults`. */
  readonly openAs: (actor: Actor, options?: Parameters<Browser['newContext']>[0]) => Promise<Page>;
  /** The same of a browser in which no operator has signed in. */
  readonly openSignedOut: () => Promise<Page>;
  /** What browsers refused (Content-Security-Policy, Trusted Types) and what pages threw, taken and emptied. */
  readonly takeFaults: () => string[];
  /** A call of the API as the owner. */
  readonly call: (method: string, path: string, body?: unknown) => ReturnType<typeof callApiOk>;
  /** Notes that the actor's address is theirs; invited by a link, as all but the owner are, it is not verified. */
  readonly verify: (actor: Actor) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** One gateway and one Chromium, with a project that has an owner, an admin and a viewer, and a stranger to it. */
export async function startDashboardStage(options: GatewayOptions = {}): Promise<DashboardStage> {
  buildDashboard();
  const [gateway, browser] = await Promise.all([startGateway(options), startBrowser()]);
  const faults: string[] = [];
  const contexts = new Map<string, BrowserContext>();
  const project = await provision(gateway);
  const { personalAccessToken } = project;
  const call: DashboardStage['call'] = (method, path, body) =>
    callApiOk(gateway.url, method, path, { bearer: personalAccessToken, body });
  const other = await createProject(gateway.url, personalAccessToken);
  await join(gateway.url, call, project.id, 'admin');
  await join(gateway.url, call, project.id, 'viewer');
  await join(gateway.url, call, other.id, 'viewer', 'stranger');

  const newContext = (options: ContextOptions) =>
    openContext(browser, { locale: 'en-GB', reducedMotion: 'reduce', baseURL: gateway.url, ...options });
  const contextOf = async (actor: Actor, options: ContextOptions) => {
    const key = `${actor} ${JSON.stringify(options)}`;
    const known = contexts.get(key);
    if (known) return known;
    const context = await newContext(options);
    const data = { email: emailOf(actor), password: actor === 'owner' ? OPERATOR.password : PASSWORD };
    await context.request.post('/v1/sessions', { data, headers: { origin: gateway.url } });
    contexts.set(key, context);
    return context;
  };
  const newPage = async (context: BrowserContext) => {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    noteFaults(page, faults);
    return page;
  };
  return {
    gateway,
    browser,
    project,
    otherProjectId: other.id,
    emailOf,
    call,
    openAs: async (actor, options = {}) => newPage(await contextOf(actor, options)),
    openSignedOut: async () => newPage(await newContext({})),
    takeFaults: () => faults.splice(0),
    verify: (actor) => markVerified(gateway.databaseUrl ?? '', emailOf(actor)),
    close: async () => {
      await browser.close();
      await gateway.stop();
    },
  };
}

async function markVerified(databaseUrl: string, email: string): Promise<void> {
  const client = new pg.Client(connectionSettings(databaseUrl));
  await client.connect();
  await client.query('UPDATE operators SET email_verified_at = now() WHERE email = $1', [email]);
  await client.end();
}

function emailOf(actor: Actor): string {
  return actor === 'owner' ? OPERATOR.email : `${actor}@example.test`;
}

/** A new operator, by an invitation as the owner would send it. */
async function join(
  url: string,
  call: DashboardStage['call'],
  projectId: string,
  role: 'admin' | 'viewer',
  actor: Actor = role,
): Promise<void> {
  const body = { email: emailOf(actor), role };
  const invitation = await call('POST', `/v1/projects/${projectId}/invitations`, body);
  const token = new URL(invitation.url).hash.slice(1);
  await callApiOk(url, 'POST', '/v1/invitations/accept', {
    body: { token, name: nameOf(actor), password: PASSWORD },
  });
}

function nameOf(actor: Actor): string {
  return `${actor.charAt(0).toUpperCase()}${actor.slice(1)} Person`;
}
