import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type DemoCrm, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';

const GUIDES = join(import.meta.dirname, '../../docs/guides');
/** What the pages call the demo CRM, as `npm run demo:crm` starts it. */
const WRITTEN_CRM = 'http://127.0.0.1:4001';
const MARK = '@@ block';

/** A block of commands, and what its page says that they print, in their order. */
type Block = { readonly commands: string; readonly printed: readonly string[] };

/** Blocks of plain `sh`; those that need an account have a word more. */
function listBlocks(page: string): Block[] {
  const blocks = [...page.matchAll(/^( *)```sh\n([\s\S]*?)^\1```/gm)];
  return blocks.map(([, indent = '', code = '']) => {
    const lines = code.split('\n').map((line) => line.slice(indent.length));
    const printed = lines.flatMap((line) => (line.startsWith('# → ') ? [line.slice(4)] : []));
    return { commands: lines.filter((line) => !line.startsWith('#')).join('\n'), printed };
  });
}

const [before] = listBlocks(readFileSync(join(GUIDES, 'README.md'), 'utf8'));
const definitions = before?.commands.replace(/^export .*$/m, '') ?? '';
const pages = readdirSync(GUIDES).filter((name) => name !== 'README.md');

let crm: DemoCrm;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  [crm, gateway] = await Promise.all([startDemoCrm({ clients: [], contacts: 20 }), startGateway()]);
  project = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await crm?.close();
});

/** Runs the commands in one shell, as a reader does, and gives what each block printed. */
async function run(blocks: readonly Block[]): Promise<string[]> {
  const commands = blocks.map(({ commands: one }) => `echo '${MARK}'\n${one}`).join('\n');
  const shell = spawn('bash', ['-c', `${definitions}\n${commands.replaceAll(WRITTEN_CRM, crm.url)}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      GATEWAY: gateway.url,
      KEY: project.apiKey,
      PROJECT: project.id,
      OPERATOR_TOKEN: project.personalAccessToken,
    },
    // A loop that waits in vain ends here, and the test shows what came before it.
    timeout: 120_000,
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect(stderr).toBe('');
  return stdout.split(`${MARK}\n`).slice(1);
}

describe('the commands of a guide', () => {
  it.each(pages)('in %s print what the page says', async (name) => {
    const blocks = listBlocks(readFileSync(join(GUIDES, name), 'utf8'));
    expect(blocks.length).toBeGreaterThan(0);
    const outputs = await run(blocks);
    for (const [index, { commands, printed }] of blocks.entries()) {
      let rest = outputs[index] ?? '';
      for (const expected of printed) {
        const at = rest.indexOf(expected);
        if (at < 0) throw new Error(`«${expected}» is not printed by\n${commands}\nbut\n${outputs[index]}`);
        rest = rest.slice(at + expected.length);
      }
    }
  });

  it('are listed among the ten tasks', () => {
    const index = readFileSync(join(GUIDES, 'README.md'), 'utf8');
    expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });
});
