import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

describe('npm run demo:crm', () => {
  it('says how to start a gateway for it, serves, and ends at Ctrl-C with exit code 0', async () => {
    const child = spawn(
      process.execPath,
      ['scripts/require-node.mjs', 'examples/demo-crm/main.ts', '--port', '0'],
      { cwd: ROOT },
    );
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    let said = '';
    const started = new Promise<void>((done) => {
      child.stdout.on('data', (text: Buffer) => {
        said += text.toString();
        if (said.includes('Ctrl-C')) done();
      });
    });
    await Promise.race([started, ended]);
    try {
      expect(said).toContain('CATALOG_DIR=examples/demo-crm/catalog ALLOW_PRIVATE_NETWORKS=true npm start');
      const [, url = ''] = /Demo CRM at (\S+)/.exec(said) ?? [];
      // The provider file names the usual port, so another one has to be written into it.
      expect(said).toContain(`write ${url} for http://127.0.0.1:4001`);
      expect((await fetch(url)).status).toBe(200);
      child.kill('SIGINT');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('names an option that it does not know, and shows those that it does', () => {
    const program = ['scripts/require-node.mjs', 'examples/demo-crm/main.ts', '--prot', '4002'];
    const { status, stderr } = spawnSync(process.execPath, program, { cwd: ROOT, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining("Unknown option '--prot'")]);
    expect(stderr).toContain('npm run demo:crm -- [--port 4001]');
    expect(stderr).not.toContain('    at ');
  });
});
