import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, type Server, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SignInStage, signFor, signIn, startSignInStage } from '../test/support/agent-sign-in.ts';
import { callApiOk } from '../test/support/gateway.ts';
import { closeServer, listen } from '../test/support/listen.ts';
import { createVisitor } from '../test/support/visitor.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

let stage: SignInStage;
let door: Server;
let doorUrl: string;

beforeAll(async () => {
  stage = await startSignInStage();
  const { tokens } = await stage.signInAs('mia', { choice: { access: 'all' } });
  // The suite has no way to bring a token: this adds it, and passes everything else on as it is.
  door = createServer((request, response) => {
    const { hostname, port, pathname } = new URL(stage.address);
    const headers = { ...request.headers, authorization: `Bearer ${tokens.access_token}` };
    const sent = send({ hostname, port, path: pathname, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  });
  const origin = `http://127.0.0.1:${await listen(door)}`;
  doorUrl = `${origin}/mcp`;
  await callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { allowedOrigins: [origin] },
  });
});
afterAll(async () => {
  if (door) await closeServer(door);
  await stage?.close();
});

/** Runs the suite, and has `hear` read what it prints meanwhile. */
function run(parameters: readonly string[], hear: (output: string) => void = () => undefined) {
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [SUITE, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        hear(output);
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

type Check = { readonly id: string; readonly status: string };

/** The checks of one scenario that failed. */
async function readFailures(scenario: string, version: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const { output } = await run([
    ...['server', '--url', doorUrl, '--scenario', scenario, '--spec-version', version, '-o', folder],
  ]);
  const [result] = await readdir(folder);
  if (result === undefined) throw new Error(`no result of ${scenario}:\n${output}`);
  const checks: Check[] = JSON.parse(await readFile(join(folder, result, 'checks.json'), 'utf8'));
  expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
  return checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
}

/** Checks that ask for what the door does not have, by design: other tools, prompts, resources, subscriptions. */
const NOT_APPLICABLE = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
];

describe('the official conformance suite', () => {
  it.each([
    ['server-initialize', '2025-11-25'],
    ['server-session-lifecycle', '2025-11-25'],
    ['ping', '2025-11-25'],
    ['tools-list', '2025-11-25'],
    ['tools-list', '2026-07-28'],
    ['server-sse-multiple-streams', '2025-11-25'],
    ['server-sse-multiple-streams', '2026-07-28'],
    ['dns-rebinding-protection', '2025-11-25'],
    ['dns-rebinding-protection', '2026-07-28'],
    ['server-stateless', '2026-07-28'],
    ['caching', '2026-07-28'],
    ['http-header-validation', '2026-07-28'],
    ['input-required-result-unsupported-methods', '2026-07-28'],
  ])('finds nothing wrong with the door: %s of %s', async (scenario, version) => {
    const failures = await readFailures(scenario, version);
    expect(failures.filter((id) => !NOT_APPLICABLE.includes(id))).toEqual([]);
  });

  it('finds nothing wrong with the authorization server, from its metadata to its tokens', async () => {
    const probe = createServer();
    const port = await listen(probe);
    await closeServer(probe);
    const clientId = stage.documents.add();
    let browsing: Promise<unknown> | undefined;
    const { code, output } = await run(
      [
        ...['authorization', '--url', `${stage.gateway.url}/agents`, '--client-id', clientId],
        ...['--resource', stage.address, '--port', String(port)],
      ],
      (printed) => {
        const url = /http:\/\/\S+\/agents\/authorize\?\S+/.exec(printed)?.[0];
        if (url === undefined || browsing !== undefined) return;
        browsing = signIn(createVisitor(), url, signFor(stage.project, 'mia')).then((callback) =>
          fetch(callback),
        );
      },
    );
    await browsing;
    expect(output).not.toContain('FAILURE');
    expect(code).toBe(0);
    expect(browsing).toBeDefined();
  });
});
