import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '../../src/platform/postgres/embedded-pidfile.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = join(ROOT, 'jest.config.mjs');

it('a run ends with all of its workers, though a test that failed left a server open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-end-'));
  const failing = `
    import { writeFileSync } from 'node:fs';
    import { createServer } from 'node:http';
    it('fails', () => {
      writeFileSync('${folder}/pid', String(process.pid));
      createServer().listen(0, '127.0.0.1');
      expect(1).toBe(2);
    });`;
  writeFileSync(join(folder, 'leaves.test.mjs'), failing);
  // Two files, since jest runs one alone in its own process.
  writeFileSync(join(folder, 'works.test.mjs'), `it('works', () => undefined);`);
  const { default: config }: { default: { setupFiles: string[] } } = await import(CONFIG);
  const settings = {
    rootDir: folder,
    testMatch: ['**/*.test.mjs'],
    transform: {},
    runner: join(ROOT, 'node_modules/jest-light-runner/src/child-process.js'),
    setupFiles: config.setupFiles.map((path) => path.replace('<rootDir>', ROOT)),
  };
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const run = spawnSync(process.execPath, [jest, '--maxWorkers=2', '--config', JSON.stringify(settings)], {
    stdio: 'ignore',
  });
  expect(run.status).toBe(1);
  const worker = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  try {
    await until(() => !isAlive(worker));
  } finally {
    if (isAlive(worker)) process.kill(worker);
  }
});
