import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.ts';
import { FALLBACK_DIR, stateDirs } from './identity.ts';
import { connectFailure, connectToPostgres } from './owner.ts';
import { readPostmasterPid } from './pidfile.ts';
import { appUrl, prepareSocketDir } from './socket.ts';
import { EmbeddedPostgresError, errorText } from './types.ts';

/**
 * The embedded Postgres that a running gateway has started below `dataDir`; undefined when none answers there. `cleanUp`
 * is to be called when its address is no longer needed. Rejects with EmbeddedPostgresError where one runs but lets this
 * user not in.
 */
export async function findRunningEmbedded(options: {
  dataDir: string;
  fallbackDir?: string;
}): Promise<{ url: string; cleanUp(): Promise<void> } | undefined> {
  const { wanted, fallback } = stateDirs(options.dataDir, options.fallbackDir ?? FALLBACK_DIR);
  for (const stateDir of [wanted, fallback]) {
    for (const dataDir of await dataDirsIn(stateDir)) {
      const found = await reach(dataDir);
      if (found) return found;
    }
  }
  return undefined;
}

async function dataDirsIn(stateDir: string): Promise<string[]> {
  const entries = await readdir(stateDir).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw refusedError(stateDir, error);
  });
  const names = entries.filter((name) => /^data-\d+$/.test(name));
  return Promise.all(names.map((name) => realpath(join(stateDir, name))));
}

async function reach(dataDir: string): Promise<{ url: string; cleanUp(): Promise<void> } | undefined> {
  const pid = await readPostmasterPid(dataDir).catch((error: unknown) => {
    throw refusedError(dataDir, error);
  });
  if (pid === undefined) return undefined;
  const { socketDir, cleanUp } = await prepareSocketDir(dataDir);
  try {
    const client = await connectToPostgres(socketDir, 'gateway command');
    await client.end();
    return { url: appUrl(socketDir), cleanUp };
  } catch (error) {
    await cleanUp();
    // A server that is ending leaves its file briefly, and a killed one for ever.
    if (connectFailure(error) !== 'other') return undefined;
    throw refusedError(dataDir, error);
  }
}

function refusedError(path: string, error: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The embedded Postgres in ${path} cannot be reached (${errorCode(error) ?? errorText(error)}). Run this as the user that runs the gateway, or as root.`,
  );
}
