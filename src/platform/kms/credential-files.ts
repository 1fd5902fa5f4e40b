import { readFile, stat } from 'node:fs/promises';
import { KmsError } from './kms.ts';

const BYTES_MAX = 64 * 1024;

/** The text of a file that `variable` names; read each time, since such files are renewed. Rejects with KmsError. */
export async function readCredentialFile(variable: string, path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= BYTES_MAX) return (await readFile(path, 'utf8')).trim();
  } catch {
    throw new KmsError(`${variable}: ${path} cannot be read`, { isTransient: false });
  }
  throw new KmsError(`${variable}: ${path} is larger than ${BYTES_MAX} bytes`, { isTransient: false });
}
