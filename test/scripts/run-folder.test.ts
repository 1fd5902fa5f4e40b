import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRunFolder } from '../../scripts/run-folder.ts';

/** Of a process that has ended. */
const { pid: endedPid } = spawnSync(process.execPath, ['--version']);

describe('the folder of a run', () => {
  it('lets the server of an unprivileged user through, and goes with all that is in it', () => {
    const folder = createRunFolder();
    writeFileSync(join(folder.path, 'report.json'), '{}');
    expect(statSync(folder.path).mode & 0o777).toBe(0o711);
    folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });

  it('takes the place of what killed runs left, and leaves alone what runs and what is none of ours', () => {
    const [left, running, strange] = [
      `gateway-run-${endedPid}-a`,
      `gateway-run-${process.pid}-a`,
      'gateway-run-x',
    ].map((name) => join(tmpdir(), name)) as [string, string, string];
    for (const path of [left, running, strange]) mkdirSync(path);
    writeFileSync(join(left, 'data'), '');
    createRunFolder().remove();
    expect([left, running, strange].map(existsSync)).toEqual([false, true, true]);
  });
});
