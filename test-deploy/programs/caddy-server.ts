import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';
import { until } from '../../test/support/until.ts';
import { ROOT } from '../manifests.ts';

const CONNECTIONS = 64;

export type Caddy = {
  readonly agent: Agent;
  /** Why calls failed at Caddy itself, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  readonly stop: () => Promise<void>;
};

/** Caddy with the file of deploy/compose, its certificates and port its own, and this machine's trust left alone. */
export async function startCaddy(
  port: number,
  hosts: readonly string[],
  gateways: readonly number[],
): Promise<Caddy> {
  const folder = await mkdtemp(join(tmpdir(), 'caddy-'));
  const file = join(folder, 'Caddyfile');
  const options = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n`;
  await writeFile(file, `${options}import ${join(ROOT, 'deploy/compose/Caddyfile')}\n`);
  const [gateway, proxy, webhook] = hosts.map((host) => `https://${host}:${port}`);
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      GATEWAY_HOST: gateway,
      PROXY_HOST: proxy,
      WEBHOOK_HOST: webhook,
      GATEWAYS: gateways.map((one) => `127.0.0.1:${one}`).join(' '),
    },
  });
  const failures = new Map<string, number>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, reason] = /^(?=.*"level":"error").*?"(?:err_trace|error|msg)":"([^"]*)"/.exec(line) ?? [];
    if (reason !== undefined) failures.set(reason, (failures.get(reason) ?? 0) + 1);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let ca: Buffer | undefined;
  await until(async () => {
    ca = await readFile(join(folder, 'pki/authorities/local/root.crt')).catch(() => undefined);
    return ca !== undefined;
  });
  // The names lead to this machine, whatever its resolver makes of them.
  const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
  const agent = new Agent({ connections: CONNECTIONS, connect: { ca, lookup } });
  const stop = async () => {
    await agent.destroy();
    child.kill();
    await ended;
    await rm(folder, { recursive: true });
  };
  return { agent, failures, stop };
}
