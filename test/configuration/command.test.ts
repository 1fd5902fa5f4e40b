import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { callApiOk } from '../support/gateway.ts';
import { type ConfigurationStage, startConfigurationStage } from './configuration-stage.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/gateway.ts');
const FILE = `version: 1
integrations:
  - name: crm
    serviceProvider: hubspot
    clientId: client-of-dev
    clientSecret: \${env:CRM_SECRET}
    displayName: HubSpot
    scopes: [oauth]
mandates:
  - name: Reading
    entries: [{ type: gateway_access, provider: hubspot, access: read }]
`;
const PRODUCTION = `integrations:
  - { name: crm, clientId: client-of-production }
  - name: chat
    serviceProvider: slack
    clientId: client-of-chat
    clientSecret: \${file:chat-secret}
    scopes: [chat:write]
`;
const SEVERAL = `version: 1
projects:
  - project: { name: First, requireMandate: true }
  - project: { name: Second }
    mandates: [{ name: Reading, entries: [{ type: gateway_access, provider: hubspot, access: read }] }]
`;

const ENTRY = { type: 'gateway_access', provider: 'hubspot', access: 'read' };

let stage: ConfigurationStage;
let directory: string;

beforeAll(async () => {
  stage = await startConfigurationStage();
  directory = mkdtempSync(join(tmpdir(), 'gateway-files-'));
  write('gateway.yaml', FILE);
  write('production.yaml', PRODUCTION);
  write('chat-secret', 'the secret of chat\n');
  write('several.yaml', SEVERAL);
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await stage?.gateway.stop();
});

const write = (name: string, content: string) => writeFileSync(join(directory, name), content);

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      GATEWAY_URL: stage.gateway.url,
      GATEWAY_API_KEY: stage.project.apiKey,
      CRM_SECRET: 'the secret of crm',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, said };
}

const LAYERS = ['gateway.yaml', '--overlay', 'production.yaml'];

it('plans, applies, plans nothing more, and finds what was changed by hand', async () => {
  const planned = await run(['plan', ...LAYERS]);
  expect(planned).toMatchObject({ code: 0, out: expect.stringContaining('+ integration crm') });
  expect(planned.out).toContain('3 to create, 0 to change, 0 to delete.');
  expect(planned.out).not.toContain('the secret of');
  expect(await run(['apply', ...LAYERS])).toMatchObject({ code: 0, said: '' });
  expect(await run(['plan', ...LAYERS, '--exit-code'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to change.'),
  });
  const [, { id, clientId }] = (await stage.api.get('/v1/integrations')).body.integrations;
  expect(clientId).toBe('client-of-production');
  expect((await run(['drift', '--exit-code'])).code).toBe(0);
  await stage.api.send('PATCH', `/v1/integrations/${id}`, { scopes: ['oauth', 'tickets'] });
  const drift = await run(['drift', '--exit-code']);
  expect([drift.code, drift.out]).toEqual([
    2,
    expect.stringContaining('scopes: ["oauth"] → ["oauth","tickets"]'),
  ]);
  const exported = await run(['export']);
  expect(exported.out).toContain(`clientSecret: \${env:CRM_SECRET}`);
  expect(exported.out).toContain('/v1/configuration/schema');
  const stateHash = /State: (\S+)/.exec(planned.out)?.[1] ?? '';
  const late = await run(['apply', ...LAYERS, '--state-hash', stateHash]);
  expect([late.code, late.said]).toEqual([1, expect.stringContaining('configuration_moved')]);
});

it('shows whole values, and no character that a terminal obeys or a reader does not see', async () => {
  const paths = Array.from({ length: 8 }, (_, at) => `/crm/v3/objects/a-kind-of-object-${at}/**`);
  const file = {
    mandates: [{ name: 'Read\u202eing', entries: [{ ...ENTRY, paths: [...paths, '/last/**'] }] }],
    destinations: [{ name: 'events', url: 'https://app.example.com', types: ['*'], description: 'a\u2066b' }],
  };
  const faulty = { ...file, mandates: [{ name: 'a', '\u001b[2J\u009b2J': 1 }] };
  const isShown = /^[\n\x20-\x7e→⟨⟩]*$/;
  write('unseen.yaml', JSON.stringify(file));
  write('faulty.yaml', JSON.stringify(faulty));
  const asOperator = { GATEWAY_API_KEY: stage.project.personalAccessToken };
  const planned = await run(['plan', 'unseen.yaml', '--project', stage.project.id], asOperator);
  expect(planned).toMatchObject({ code: 0, said: '', out: expect.stringMatching(isShown) });
  expect(planned.out).toContain('Read⟨U+202E⟩ing');
  expect(planned.out).toContain('/last/**');
  const asJson = await run(['plan', 'unseen.yaml', '--project', stage.project.id, '--json'], asOperator);
  expect(asJson.out).toMatch(isShown);
  expect(JSON.parse(asJson.out).changes).toContainEqual(
    expect.objectContaining({ name: 'Read\u202eing', action: 'create' }),
  );
  const refused = await run(['plan', 'faulty.yaml', '--project', stage.project.id], asOperator);
  expect([refused.code, refused.said]).toEqual([1, expect.stringMatching(isShown)]);
  expect(refused.said).toContain('⟨U+009B⟩2J');
});

it('says where a fault stands, and names a variable that is not set', async () => {
  write('faulty.yaml', FILE.replace('scopes: [oauth]', 'scopes: oauth'));
  const faulty = await run(['plan', 'faulty.yaml']);
  expect([faulty.code, faulty.said]).toEqual([
    1,
    expect.stringContaining('faulty.yaml:8:13: integrations.0.scopes: '),
  ]);
  write('missing.yaml', FILE.replace('CRM_SECRET', 'NOT_SET').replace('name: crm', 'name: other'));
  const missing = await run(['apply', 'missing.yaml']);
  expect(missing.code).toBe(1);
  expect(missing.said).toContain(`No value for \${env:NOT_SET}`);
  expect(missing.said).toContain('missing.yaml:6:19: integrations.0.clientSecret');
  write('missing.yaml', FILE.replace('client-of-dev', `\${env:NOT_SET}`));
  const open = await run(['plan', 'missing.yaml']);
  expect(open.code).toBe(1);
  expect(open.said).toContain(
    `No value for \${env:NOT_SET}: a secret that is there stays, any other field needs it.`,
  );
  expect(open.said).toContain('missing.yaml:5:15: integrations.0.clientId: The value of');
});

it('works with a key that has the scopes of files alone, and names its project by its id', async () => {
  const { project, gateway } = stage;
  const { key } = await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/api-keys`, {
    bearer: project.personalAccessToken,
    body: { name: 'files', scopes: ['configuration:write'] },
  });
  const asKey = { GATEWAY_API_KEY: key, GATEWAY_PROJECT: project.id };
  const exported = await run(['export', '--out', 'own.yaml'], asKey);
  expect(exported).toMatchObject({ code: 0, said: '' });
  const { name } = await stage.api.get(`/v1/projects/${project.id}`).then(({ body }) => body);
  const planned = await run(['plan', ...LAYERS], asKey);
  expect(planned).toMatchObject({ code: 0, out: expect.stringContaining(`Project ${name}\n`) });
  expect(await run(['drift'], asKey)).toMatchObject({ code: 0 });
  write('listed.yaml', `projects:\n  - project: { name: "${name}" }\n  - project: { name: Other }\n`);
  const listed = await run(['plan', 'listed.yaml'], asKey);
  expect([listed.code, listed.out.match(/^Project .*$/gm)]).toEqual([0, [`Project ${name}`]]);
  const unnamed = await run(['export'], { GATEWAY_API_KEY: key });
  expect([unnamed.code, unnamed.said]).toEqual([1, expect.stringContaining('name the project by its id')]);
});

it('finds and makes projects by the names that a file means', async () => {
  const asOperator = { GATEWAY_API_KEY: stage.project.personalAccessToken, THIRD: 'Third' };
  write(
    'named.yaml',
    `projects:\n  - project: { name: "$\${env:THIRD}" }\n  - project: { name: "\${env:THIRD}" }\n`,
  );
  expect(await run(['apply', 'named.yaml'], asOperator)).toMatchObject({ code: 0, said: '' });
  const planned = await run(['plan', 'named.yaml', '--exit-code'], asOperator);
  expect(planned).toMatchObject({ code: 0, out: expect.stringContaining(`Project \${env:THIRD}\n`) });
  expect(planned.out).toContain('Project Third\n');
});

it('configures several projects, and makes those that there are not yet', async () => {
  const asOperator = { GATEWAY_API_KEY: stage.project.personalAccessToken };
  expect(await run(['apply', 'several.yaml'], asOperator)).toMatchObject({ code: 0 });
  const planned = await run(['plan', 'several.yaml', '--exit-code'], asOperator);
  expect([planned.code, planned.out.match(/Nothing to change/g)]).toEqual([0, expect.any(Array)]);
  const { projects } = await callApiOk(stage.gateway.url, 'GET', '/v1/projects', {
    bearer: stage.project.personalAccessToken,
  });
  const made = projects.slice(0, 2);
  expect(made).toMatchObject([{ name: 'Second' }, { name: 'First', requireMandate: true }]);
});
