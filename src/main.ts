import cluster from 'node:cluster';
import { type Config, findMistypedVariables, loadConfig } from './config.ts';
import { explainRefusal } from './lib/start-error.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { openCatalog } from './process/catalog-in-use.ts';
import { serve } from './process/serve.ts';
import { prepareStore } from './process/store.ts';
import { askForStore } from './process/worker-store.ts';
import { superviseWorkers } from './process/workers.ts';

const SAME_KEY_PRESS_MS = 1_000;
const SETUP_TOKEN_LENGTH_ADVISED = 16;

/**
 * The process: reads the configuration, prepares the store once, then serves by itself or through worker processes.
 * SIGTERM or SIGINT drains; a second one ends at once.
 */
async function main(): Promise<void> {
  // Where standard error takes nothing (no space, its reader has gone), what it would show is lost.
  process.stderr.on('error', () => undefined);
  const config = loadConfig();
  const log = createLogger({ level: config.logLevel });
  process.on('unhandledRejection', (reason) => fatal(log, reason));
  process.on('uncaughtException', (error) => fatal(log, error));
  if (cluster.isPrimary) {
    for (const { name, meant } of findMistypedVariables())
      log.warn({ name }, `unknown variable ${name}: did you mean ${meant}?`);
  }
  // Before the store: a faulty provider file should stop the start while nothing has happened yet.
  const catalog = await openCatalog(config, log);
  if (cluster.isWorker)
    return runUntilSignal(log, await serve(config, log, await askForStore(), catalog), ['SIGTERM']);
  const store = await prepareStore(config, log);
  store.onExit((error) => fatal(log, error));
  const workers = config.workers > 1 ? superviseWorkers(config, log, store) : undefined;
  const running = workers ?? (await serve(config, log, store, catalog));
  const ended = runUntilSignal(log, {
    stop: async () => {
      await running.stop();
      await store.stop();
    },
  });
  await workers?.listening;
  announceSetup(config, store.setupToken, log);
  await ended;
}

/**
 * With no operator yet: the link of the first set-up. Not a log line: the log must never hold a token, and this one is
 * for the operator who started the gateway.
 */
function announceSetup(config: Config, setupToken: string | undefined, log: Logger): void {
  if (setupToken === undefined) return;
  if (setupToken.length < SETUP_TOKEN_LENGTH_ADVISED)
    log.warn(
      `SETUP_TOKEN is short: ${SETUP_TOKEN_LENGTH_ADVISED} characters or more keep others from guessing it`,
    );
  const link = config.setupToken === undefined ? `#${setupToken}` : ' with the token of SETUP_TOKEN';
  process.stderr.write(`\nSet up the gateway: ${config.publicUrl}/setup${link}\n\n`);
}

type Signal = 'SIGTERM' | 'SIGINT';

/**
 * Ctrl-C reaches every process of the terminal, and npm passes it on once more: a worker leaves the signal to its
 * primary, and what comes within a second of the first signal is the same key press.
 */
async function runUntilSignal(
  log: Logger,
  running: { stop(): Promise<void> },
  signals: readonly Signal[] = ['SIGTERM', 'SIGINT'],
): Promise<void> {
  if (!signals.includes('SIGINT')) process.on('SIGINT', () => undefined);
  const signal = await new Promise<string>((resolve) => {
    for (const name of signals) process.once(name, () => resolve(name));
  });
  const startedAt = Date.now();
  for (const name of signals) {
    process.on(name, () => {
      if (Date.now() - startedAt < SAME_KEY_PRESS_MS) return;
      log.warn({ signal: name }, 'second signal: ending at once');
      log.flush();
      process.exit(1);
    });
  }
  log.info({ signal }, 'stopping');
  await running.stop();
  log.info('stopped');
  log.flush();
  process.exit(0);
}

function fatal(log: Logger, reason: unknown): never {
  log.fatal({ err: reason instanceof Error ? reason : new Error(String(reason)) }, 'ending after a fault');
  log.flush();
  process.exit(1);
}

main().catch((error: unknown) => {
  process.stderr.write(`The gateway cannot start.\n${explainRefusal(error)}\n`);
  process.exit(1);
});
