import { type GatewayEnd, startGatewayProcess, waitUntilReady } from '../../examples/demo/gateway-process.ts';
import type { Gateway } from './gateway.ts';
import { type GatewayOptions, prepareGateway } from './gateway-environment.ts';
import { programPath } from './programs.ts';

/** Beyond what a start takes on the busiest machine. */
const READY_MS_MAX = 180_000;

export type SpawnedGateway = Omit<Gateway, 'stop'> & {
  readonly pid: number;
  readonly ended: Promise<GatewayEnd>;
  /** Everything that it wrote to its two outputs so far. */
  readonly logs: () => string;
  /** SIGTERM; then removes what was made for it. */
  readonly stop: () => Promise<GatewayEnd>;
  /** SIGKILL, leaving its data alone. */
  readonly kill: () => Promise<GatewayEnd>;
};

/**
 * A gateway in a process of its own, ready when this resolves. Throws with its last log lines when it is not. Until then the signal kills
 * it.
 */
export async function spawnGateway(
  options: GatewayOptions = {},
  { signal }: { signal?: AbortSignal } = {},
): Promise<SpawnedGateway> {
  const { process, cleanUp, removeDirectory, ...rest } = await launchGateway(options);
  const kill = () => void process.kill();
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', kill, { once: true });
  try {
    await waitUntilReady(rest.url, process, { timeoutMs: READY_MS_MAX });
  } catch (error) {
    await process.kill();
    await cleanUp();
    throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
  return {
    ...rest,
    pid: process.pid,
    ended: process.ended,
    logs: process.logs,
    kill: async () => {
      const end = await process.kill();
      await removeDirectory();
      return end;
    },
    stop: async () => {
      const end = await process.stop();
      await cleanUp();
      return end;
    },
  };
}

/** A gateway that is expected to refuse its configuration: how it ended and what it said. */
export async function runRefusedGateway(
  options: GatewayOptions = {},
): Promise<{ end: GatewayEnd; logs: string }> {
  const { process, cleanUp, url } = await launchGateway(options);
  const ready = waitUntilReady(url, process).then(
    () => true,
    () => false,
  );
  const wasReady = await Promise.race([ready, process.ended.then(() => false)]);
  const end = wasReady ? await process.kill() : await process.ended;
  await cleanUp();
  return { end, logs: process.logs() };
}

async function launchGateway(options: GatewayOptions) {
  const { env, directory, ...prepared } = await prepareGateway(options);
  return {
    ...prepared,
    env,
    process: startGatewayProcess({ env, directory, main: programPath('src/main.ts') }),
  };
}
