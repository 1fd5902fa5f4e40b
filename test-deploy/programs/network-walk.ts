import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { type Demo, startDemo } from '../../examples/demo/start-demo.ts';
import { ensureChromium } from '../../scripts/find-chromium.ts';

export type NetworkReport = {
  /** What an attempt to get out left behind, before the gateway was started. */
  readonly control: { readonly names: readonly string[]; readonly packets: number };
  readonly names: readonly string[];
  readonly packets: number;
  /** Of pages: addresses that are not of this machine. */
  readonly foreignRequests: readonly string[];
  readonly contacts: number;
  readonly pages: readonly string[];
};

const NAME_SERVER = '192.0.2.53';
const ELSEWHERE = { host: '203.0.113.1', port: 443 };
const PAGES_MAX = 40;
/** Chromium looks up names of its own; those of pages are seen by their requests. */
const BROWSER = [
  '--no-sandbox',
  '--disable-gpu',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** Walks the main job and the dashboard in the network that network.test.ts makes, and prints a `NetworkReport`. */
async function walk(): Promise<void> {
  const names = await recordNames();
  const control = await tryToGetOut(names);
  const before = countPackets();
  const foreignRequests: string[] = [];
  const demo = await startDemo({ ports: { gateway: 0, crm: 0, app: 0 } });
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: BROWSER });
  try {
    const context = await browser.newContext();
    context.on('request', (request) => {
      if (!isOfThisMachine(request.url())) foreignRequests.push(request.url());
    });
    const contacts = await connectAccount(context, demo);
    const pages = await openPages(context, demo);
    const packets = countPackets() - before;
    const report: NetworkReport = {
      control,
      names: names.slice(1),
      packets,
      foreignRequests,
      contacts,
      pages,
    };
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } finally {
    await browser.close();
    await demo.close();
  }
  process.exit(0);
}

/** A name server that knows no name, and the names that it was asked for. */
async function recordNames(): Promise<string[]> {
  const names: string[] = [];
  const server = createSocket('udp4');
  server.on('message', (question, { address, port }) => {
    const name = readName(question);
    if (names.at(-1) !== name) names.push(name);
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8183, 2);
    server.send(answer, port, address);
  });
  server.bind(53, NAME_SERVER);
  await once(server, 'listening');
  return names;
}

/** The first question of a message (RFC 1035 section 4.1.2). */
function readName(message: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.');
}

async function tryToGetOut(names: readonly string[]): Promise<NetworkReport['control']> {
  const before = countPackets();
  await lookup('control.example').catch(() => undefined);
  const socket = connect(ELSEWHERE);
  socket.on('error', () => undefined);
  while (countPackets() === before) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  return { names: [...names], packets: countPackets() - before };
}

/** How many packets went to the interface that leads out. */
function countPackets(): number {
  const line = /^\s*out:(.*)$/m.exec(readFileSync('/proc/self/net/dev', 'utf8'))?.[1] ?? '';
  return Number(line.trim().split(/\s+/)[9]);
}

function isOfThisMachine(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return !/^(https?|wss?):$/.test(protocol) || hostname === 'localhost' || hostname === '127.0.0.1';
}

/** The main job: a user connects an account, and the application calls its provider. */
async function connectAccount(context: BrowserContext, { app }: Demo): Promise<number> {
  const page = await context.newPage();
  await page.goto(app.url);
  await page.click('button[value=user-mia]');
  await page.click('#connect-redirect');
  await page.fill('#email', 'ada@northwind.test');
  await page.fill('#password', 'demo');
  await page.click('#sign-in');
  await page.click('#allow');
  await page.waitForSelector('#contacts tbody tr');
  return page.locator('#contacts tbody tr').count();
}

/** Signs in at the dashboard and opens whatever its pages link to. */
async function openPages(context: BrowserContext, { gatewayUrl, project }: Demo): Promise<string[]> {
  const page = await context.newPage();
  await page.goto(`${gatewayUrl}/`);
  await page.getByLabel('E-mail').fill(project.email);
  await page.getByLabel('Password', { exact: true }).fill(project.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const found = new Set(await listLinks(page));
  const opened: string[] = [];
  for (const path of found) {
    if (opened.length === PAGES_MAX) break;
    await page.goto(gatewayUrl + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    opened.push(path);
    for (const next of await listLinks(page)) found.add(next);
  }
  return opened;
}

async function listLinks(page: Page): Promise<string[]> {
  const { origin } = new URL(page.url());
  const addresses = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => (link instanceof HTMLAnchorElement ? link.href : '')));
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return [];
    const url = new URL(address);
    return url.origin === origin && !/^\/(docs|v1|openapi)/.test(url.pathname) ? [url.pathname] : [];
  });
}

await walk();
