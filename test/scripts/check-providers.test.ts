import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../../scripts/check-providers.ts');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'check-providers-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...options], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function check(text: string) {
  const file = join(directory, 'acme.yaml');
  writeFileSync(file, text);
  return run('--dry-run', file);
}

const FILE = `id: acme
name: Acme
auth: oauth2
authorizationUrl: https://acme.example/authorize
tokenUrl: https://{region}.acme.example/token
apiBaseUrl: https://acme.example/api
variables:
  region: { from: user, example: eu }
`;

it('a dry run of a file shows every request with its secrets stood in for', () => {
  const { status, stdout } = check(FILE);
  expect(status).toBe(0);
  expect(stdout).toContain('GET https://acme.example/authorize?');
  expect(stdout).toContain('redirect_uri=https%3A%2F%2Fgateway.example%2Foauth%2Fcallback&');
  expect(stdout).toContain('POST https://eu.acme.example/token');
  expect(stdout).toContain('client_secret=<clientSecret>');
  expect(stdout).toContain('GET https://acme.example/api/example?page=1');
});

it('names line, field and reason of a fault instead', () => {
  const { status, stderr } = check(FILE.replace('https://acme.example/api', 'http://acme.example/api'));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/acme\.yaml:6: apiBaseUrl: must be https/)]);
});

it.each([
  ['--dryrun', "Unknown option '--dryrun'"],
  ['--dry-run', "'--dry-run <value>' argument missing"],
])('names the fault of the option %s, and shows the usage', (option, fault) => {
  const { status, stderr } = run(option);
  expect([status, stderr]).toEqual([1, expect.stringContaining(fault)]);
  expect(stderr).toMatch(/\n\nChecks the built-in provider files/);
  expect(stderr).not.toContain('    at ');
});

it('shows the usage', () => {
  const { status, stdout } = run('--help');
  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining('npm run check:providers -- --dry-run <file>'),
  ]);
});
