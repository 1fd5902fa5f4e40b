import { spawnSync } from 'node:child_process';

/** What a program writes to standard output. Throws with all that it said where it fails. */
export function runProgram(program: string, parts: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, parts, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${parts.join(' ')} failed: ${error?.message ?? ''}${stdout}${stderr}`);
}
