import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type DemoCrm, startDemoCrm } from '../../../examples/demo-crm/server.ts';
import { openPage, startBrowser } from '../../support/browser.ts';
import {
  callApiOk,
  createProject,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../../support/gateway.ts';
import { type CommandBlock, listCommandBlocks, listPages, readPage } from '../../support/page-blocks.ts';
import { openPageShell, type PageShell } from '../../support/page-shell.ts';
import { findFreePort } from '../../support/ports.ts';
import { type Elsewhere, startElsewhere } from './elsewhere.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FIRST_HOUR = 'first-hour.md';
/** Programs that blocks of these pages run by the name of their file. */
const PROGRAMS = ['examples/user-tokens/node/jsonwebtoken.mjs'];

const blocks = listPages().map((page) => [page, listCommandBlocks(page)] as const);
const runnable = blocks
  .map(([page, all]) => [page, all.filter(({ attributes }) => !attributes.has('no-run'))] as const)
  .filter(([, some]) => some.length > 0);
const guides = runnable.filter(([page]) => page.startsWith('guides/') && page !== 'guides/README.md');
const others = runnable.filter(([page]) => !page.startsWith('guides/') && page !== FIRST_HOUR);

/** As Google Cloud gives it for a key; nothing is asked with it here. */
const SERVICE_ACCOUNT = {
  client_email: 'robot@project.example',
  private_key_id: 'one',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
};

let crm: DemoCrm;
let gateway: Gateway;
let unused: Gateway;
let owner: Project;
let elsewhere: Elsewhere;
let folder: string;

beforeAll(async () => {
  [crm, gateway, unused, elsewhere] = await Promise.all([
    startDemoCrm({ clients: [], contacts: 20 }),
    startGateway(),
    startGateway(),
    startElsewhere(),
  ]);
  owner = await provision(gateway);
  // Within the repository, so that programs of the pages find its packages.
  folder = mkdtempSync(join(ROOT, 'node_modules/.documents-'));
  for (const program of PROGRAMS) cpSync(join(ROOT, program), join(folder, program.split('/').at(-1) ?? ''));
});

afterAll(async () => {
  await Promise.all([gateway?.stop(), unused?.stop(), crm?.close(), elsewhere?.close()]);
  rmSync(folder, { recursive: true, force: true });
  const left = blocks.flatMap(([, all]) => all).filter(({ attributes }) => attributes.has('no-run'));
  const count = blocks.flatMap(([, all]) => all).length;
  process.stderr.write(
    `\n${count - left.length} of ${count} blocks of commands were run. Not run:\n${left
      .map(({ page, line, attributes }) => `  docs/${page}:${line}: ${attributes.get('no-run')}\n`)
      .join('')}`,
  );
});

/** Refusals fail a block: the pages show calls that work. The guides show refusals too, and say what is printed. */
const STRICT = 'set -o pipefail\ncurl() { command curl --fail-with-body "$@"; }';

/** What stands in the pages for what each reader has. */
function fillIn(text: string, project: Project, url: string): string {
  return (
    text
      .replaceAll(/https:\/\/gateway\.example(?:\.com)?/g, url)
      .replaceAll('https://app.example.com', elsewhere.url)
      .replaceAll('https://login.example.com', elsewhere.url)
      .replaceAll('http://127.0.0.1:4001', crm.url)
      .replaceAll('<project id>', project.id)
      .replaceAll('<SETUP_TOKEN>', unused.env.SETUP_TOKEN ?? '')
      .replaceAll('<password>', OPERATOR.password)
      // Values that a reader pastes in, and that are there already.
      .replaceAll(/^export .*(?:…|igk_|igo_).*$/gm, '')
  );
}

async function prepareProject() {
  const project = await createProject(gateway.url, owner.personalAccessToken);
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body: {
      serviceProvider: 'hubspot',
      clientId: 'x',
      clientSecret: 'x',
      scopes: ['oauth', 'crm.objects.contacts.read'],
    },
  });
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    body: {
      integrationId: id,
      userId: 'user-1',
      credentials: { accessToken: 'x', refreshToken: 'y', expiresAt: '2099-01-01T00:00:00Z' },
    },
  });
  await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body: {
      serviceProvider: 'gmail',
      grant: 'service-account',
      variables: { serviceAccount: JSON.stringify(SERVICE_ACCOUNT) },
      scopes: ['https://www.googleapis.com/auth/gmail.modify'],
    },
  });
  const env = {
    GATEWAY: gateway.url,
    PUBLIC_URL: gateway.url,
    KEY: project.apiKey,
    PROJECT: project.id,
    OPERATOR_TOKEN: owner.personalAccessToken,
    TOKEN: project.userToken('user-1'),
    ID: id,
  };
  return { project, env };
}

async function runBlock(shell: PageShell, block: CommandBlock, commands: string): Promise<string> {
  const output = await shell.run(commands).catch((error: unknown) => {
    throw new Error(`docs/${block.page}:${block.line}: ${error}`);
  });
  let rest = output;
  for (const expected of block.printed) {
    const at = rest.indexOf(expected);
    if (at < 0)
      throw new Error(`docs/${block.page}:${block.line}: «${expected}» is not printed, but\n${output}`);
    rest = rest.slice(at + expected.length);
  }
  return output;
}

async function runPage(all: readonly CommandBlock[], prelude: string): Promise<void> {
  const { project, env } = await prepareProject();
  const shell = openPageShell({ folder, env, prelude: fillIn(prelude, project, gateway.url) });
  try {
    await shell.start();
    for (const block of all) {
      const url = block.attributes.get('gateway') === 'new' ? unused.url : gateway.url;
      await runBlock(shell, block, fillIn(block.commands, project, url));
    }
  } finally {
    await shell.close();
  }
}

describe('every block of commands works, in the order of its page:', () => {
  it.each(others)('docs/%s', (_page, all) => runPage(all, STRICT));

  const [definitions] = listCommandBlocks('guides/README.md');
  it.each(guides)('docs/%s', (_page, all) => runPage(all, definitions?.commands ?? ''));
});

describe('the first hour', () => {
  it('leads from nothing to a call and an event', async () => {
    const [crmPort, port] = [await findFreePort(), await findFreePort()];
    const data = mkdtempSync(join(tmpdir(), 'gateway-first-hour-'));
    writeFileSync(
      join(data, 'demo-crm.yaml'),
      readFileSync(join(ROOT, 'examples/demo-crm/catalog/demo-crm.yaml'), 'utf8').replaceAll(
        '4001',
        String(crmPort),
      ),
    );
    const adapt = (text: string) =>
      text
        .replace(
          'npm run demo:crm',
          `npm run demo:crm -- --port ${crmPort} --redirect-uri http://localhost:${port}/oauth/callback`,
        )
        .replace('CATALOG_DIR=examples/demo-crm/catalog', `CATALOG_DIR=${data}`)
        .replaceAll('http://localhost:3000', `http://localhost:${port}`);
    const env = { PORT: String(port), DATA_DIR: join(data, 'data') };
    const shell = openPageShell({ folder: ROOT, env, prelude: STRICT });
    try {
      await shell.start();
      for (const block of listCommandBlocks(FIRST_HOUR)) {
        const { attributes } = block;
        if (attributes.has('no-run')) continue;
        const commands = adapt(block.commands);
        const background = attributes.get('background');
        if (background !== undefined) await shell.runInBackground(commands, background);
        else {
          const output = await runBlock(shell, block, commands);
          if (attributes.get('browser') === 'connect') await agreeAtTheDemoCrm(output.trim());
        }
      }
    } finally {
      await shell.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});

/** What the page says to do in a browser: open the link, log in, allow the access. */
async function agreeAtTheDemoCrm(url: string): Promise<void> {
  expect(readPage(FIRST_HOUR)).toContain('log in as `ada@northwind.test` with the password `demo`');
  const browser = await startBrowser();
  try {
    const page = await openPage(browser);
    await page.goto(url);
    await page.fill('#email', 'ada@northwind.test');
    await page.fill('#password', 'demo');
    await page.click('#sign-in');
    await page.click('#allow');
    await page
      .getByText('You can close this window')
      .or(page.getByRole('heading', { name: /connected/i }))
      .first()
      .waitFor();
  } finally {
    await browser.close();
  }
}
