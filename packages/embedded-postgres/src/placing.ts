import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Lets `fill` make a directory beside its final place, then moves it there whole, so that a kill at any time leaves
 * no half-made one. Of several processes that do so at once one wins, and the others are content with its work.
 */
export async function placeDirectory(
  final: string,
  temporaryPrefix: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const temporary = await mkdtemp(join(dirname(final), temporaryPrefix));
  try {
    await fill(temporary);
    await rename(temporary, final);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    const lostTheRace = ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
    if (!lostTheRace) throw error;
  }
}
