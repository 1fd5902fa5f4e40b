import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const BLOCK_MS_MAX = 180_000;
/** How long a background program may take until it says that it is there: an embedded Postgres, and a dashboard to build. */
const START_MS_MAX = 180_000;

export type PageShell = ReturnType<typeof openPageShell>;

/**
 * One bash, as a reader has it open beside a page: what a block exports, the next one knows. A command that fails fails its
 * block. `prelude` runs before the first one.
 */
export function openPageShell({
  folder,
  env,
  prelude,
}: {
  folder: string;
  env: NodeJS.ProcessEnv;
  prelude: string;
}) {
  const files = mkdtempSync(join(tmpdir(), 'gateway-page-'));
  const children: ChildProcess[] = [];
  const environment = {
    HOME: files,
    ...env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: environment });
  let output = '';
  let errors = '';
  let blocks = 0;
  shell.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  shell.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });

  /** Gives what the commands printed. Throws with both outputs where one of them fails. */
  async function run(commands: string): Promise<string> {
    blocks += 1;
    const file = join(files, `block-${blocks}.sh`);
    writeFileSync(file, commands);
    output = '';
    errors = '';
    const mark = `@@ end of block ${blocks}`;
    shell.stdin.write(`set -e; source '${file}' </dev/null; set +e; echo; echo '${mark}'\n`);
    await waitFor(() => output.includes(mark), shell, BLOCK_MS_MAX).catch((error: unknown) => {
      throw new Error(`${error}\n${commands}\nprinted\n${output}\n${errors}`);
    });
    return output.slice(0, output.indexOf(mark));
  }

  /** Starts what stays in the foreground, in a terminal of its own, and waits until it has printed the text. */
  async function runInBackground(commands: string, printed: string): Promise<void> {
    const child = spawn('bash', ['-c', `${prelude}\n${commands}`], {
      cwd: folder,
      env: environment,
      detached: true,
    });
    children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += String(chunk);
      });
    await waitFor(() => said.includes(printed), child, START_MS_MAX).catch((error: unknown) => {
      throw new Error(`${error}\n${commands}\nprinted\n${said}`);
    });
  }

  async function close(): Promise<void> {
    shell.kill();
    for (const child of children) {
      if (child.pid === undefined || child.exitCode !== null) continue;
      const ended = new Promise((done) => child.once('close', done));
      // The whole group: npm, the shell, and the program below them.
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
    rmSync(files, { recursive: true, force: true });
  }

  return { run, runInBackground, close, start: () => run(prelude) };
}

function waitFor(isThere: () => boolean, child: ChildProcess, msMax: number): Promise<void> {
  return new Promise((done, fail) => {
    const finish = (error?: Error) => {
      clearTimeout(timer);
      child.off('close', ended);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', look);
      if (error === undefined) done();
      else fail(error);
    };
    const look = () => isThere() && finish();
    const ended = () => finish(isThere() ? undefined : new Error(`It ended with ${child.exitCode}.`));
    const timer = setTimeout(() => finish(new Error(`It took more than ${msMax / 1000} s.`)), msMax);
    child.on('close', ended);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    look();
  });
}
