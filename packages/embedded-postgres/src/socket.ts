import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** sun_path holds 108 bytes with its terminating zero on Linux, 104 on macOS. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107;

/** The database of the gateway's own on the server whose socket is in this directory. */
export function appUrl(socketDir: string): string {
  return `postgresql://app@localhost:5432/app?host=${encodeURIComponent(socketDir)}`;
}

/** The data directory, or a short link to it where the socket's path would be too long to connect to. */
export async function prepareSocketDir(
  dataDir: string,
): Promise<{ socketDir: string; cleanUp(): Promise<void> }> {
  if (Buffer.byteLength(join(dataDir, '.s.PGSQL.5432')) <= SOCKET_PATH_BYTES_MAX) {
    return { socketDir: dataDir, cleanUp: async () => undefined };
  }
  const directory = await mkdtemp(join(tmpdir(), 'gateway-socket-'));
  const socketDir = join(directory, 'd');
  await symlink(dataDir, socketDir);
  return { socketDir, cleanUp: () => rm(directory, { recursive: true, force: true }) };
}
