import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { collectLines } from '#embedded-postgres/launch.ts';
import { answerWorker } from '../../src/process/worker-store.ts';
import { prepareGateway } from '../support/gateway-environment.ts';
import { programPath } from '../support/programs.ts';
import { until } from '../support/until.ts';

/** Every write to it fails for lack of space; Linux alone has it. */
const FULL = '/dev/full';

type Outputs = 'without space' | 'whose reader goes';
const OUTPUTS: readonly Outputs[] = existsSync(FULL)
  ? ['without space', 'whose reader goes']
  : ['whose reader goes'];

function startProcess(outputs: Outputs, env: Record<string, string>, directory: string): ChildProcess {
  const file = outputs === 'without space' ? openSync(FULL, 'w') : undefined;
  const child = spawn(process.execPath, [programPath('src/main.ts')], {
    cwd: directory,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', file ?? 'pipe', file ?? 'pipe'],
  });
  if (file !== undefined) closeSync(file);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return child;
}

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

/** Over all processes that answered. */
async function readDropped(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^gateway_log_lines_dropped_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1]);
}

describe.each(OUTPUTS)('a gateway with outputs %s', (outputs) => {
  it.each(['1', '2'])(
    'serves, counts the lines that are lost, and ends in order (processes: %s)',
    async (workers) => {
      const { env, directory, cleanUp, url } = await prepareGateway({ env: { WEB_CONCURRENCY: workers } });
      const child = startProcess(outputs, env, directory);
      const ended = once(child, 'exit');
      await until(async () => (await statusOf(`${url}/readyz`)) === 200);
      // The first writes fail about 100 ms after the first lines.
      await until(async () => {
        expect(await statusOf(`${url}/nothing`)).toBe(404);
        return (await readDropped(url)) > 0;
      });
      for (let count = 0; count < 50; count += 1) expect(await statusOf(`${url}/livez`)).toBe(200);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      await cleanUp();
    },
  );
});

describe('a worker that has gone', () => {
  it('does not end the primary that answers it', async () => {
    const child = fork('-', [], { execArgv: ['--eval', 'process.on("message", () => 0)'], stdio: 'ignore' });
    await once(child, 'spawn');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = { databaseUrl: '', directUrl: '', isPooled: false, encryptionKeys: '' };
    const errors: Error[] = [];
    child.on('error', (error) => errors.push(error));
    answerWorker({ process: child }, 'which store?', store);
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });
});

describe('the pipe from the embedded Postgres', () => {
  it('loses lines where it breaks, and nothing else', async () => {
    const pipe = new PassThrough();
    const lines = collectLines(pipe, {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    });
    pipe.write('one\n');
    await until(() => lines.length === 1);
    pipe.destroy(new Error('EIO'));
    await new Promise(setImmediate);
    expect(lines).toEqual(['one']);
  });
});
