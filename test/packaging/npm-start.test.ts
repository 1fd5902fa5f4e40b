import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { callApi } from '../support/gateway.ts';
import { createDataDir } from '../support/gateway-environment.ts';
import { findFreePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The process ids of which a command line or an environment names the directory. */
function processesUsing(directory: string): number[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.filter((pid) => processText(pid).includes(directory)).map(Number);
}

function processText(pid: string): string {
  try {
    return ['cmdline', 'environ'].map((file) => readFileSync(join('/proc', pid, file), 'utf8')).join('\0');
  } catch {
    return '';
  }
}

describe('npm start', () => {
  it('that gets SIGTERM leaves neither a gateway nor its Postgres', async () => {
    const dataDir = await createDataDir();
    const port = String(await findFreePort());
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      // Empty ones, so that a developer's .env does not count.
      env: {
        ...process.env,
        SHUTDOWN_DELAY_MS: '0',
        DATABASE_URL: '',
        WEB_CONCURRENCY: '',
        DATA_DIR: dataDir.path,
        PORT: port,
        PUBLIC_URL: '',
      },
      stdio: 'ignore',
      detached: true,
    });
    const exited = once(npm, 'exit');
    try {
      await until(async () => {
        if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}`);
        return callApi(`http://127.0.0.1:${port}`, 'GET', '/readyz').then(
          ({ status }) => status === 200,
          () => false,
        );
      });
      expect(processesUsing(dataDir.path).length).toBeGreaterThan(2);
      npm.kill('SIGTERM');
      await exited;
      expect(processesUsing(dataDir.path)).toEqual([]);
    } finally {
      for (const pid of processesUsing(dataDir.path)) process.kill(pid, 'SIGKILL');
      await dataDir.remove();
    }
  });

  it('and every other script gives its signals to the program that it runs', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    );
    // npm runs this one on every system, also where the shell has no exec; it ends by itself.
    const { postinstall: _, ...started } = scripts;
    const throughShell = Object.entries(started).filter(([, command]) => /^node /.test(command));
    expect(throughShell).toEqual([]);
  });
});
