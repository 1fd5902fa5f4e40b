import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRESS_FOLDER, readProgress } from './jest-progress.mjs';

/**
 * Far beyond what any file takes on a busy machine, and beyond one in which each test waits in vain for its page: that
 * one ends by itself and names its failed tests. It only ends what hangs, since the runner has no time limits.
 */
const FILE_MINUTES_MAX = 20;
/** Far beyond what it takes to stop the servers around the tests. */
const END_SECONDS_MAX = 60;

/**
 * Ends a run in which a file does not come to an end, and names the file, those of its tests that failed and the one that
 * runs; and a run that does not end after its last file.
 */
export default class HangReporter {
  #timers = new Map();
  #folder = mkdtempSync(join(tmpdir(), 'progress-'));
  #fileMinutesMax;

  constructor(_globalConfig, { fileMinutesMax = FILE_MINUTES_MAX } = {}) {
    this.#fileMinutesMax = fileMinutesMax;
    // Workers are started later, with the environment of this process.
    process.env[PROGRESS_FOLDER] = this.#folder;
  }

  onTestFileStart({ path }) {
    const end = () => {
      process.stderr.write(
        `${path} has not ended after ${this.#fileMinutesMax} minutes: the run ends here\n`,
      );
      process.stderr.write(describeProgress(readProgress(this.#folder, path)));
      process.exit(1);
    };
    this.#timers.set(path, setTimeout(end, this.#fileMinutesMax * 60_000));
  }

  onTestFileResult({ path }) {
    clearTimeout(this.#timers.get(path));
  }

  onRunComplete() {
    rmSync(this.#folder, { recursive: true, force: true });
    // Unreferenced, so that only what tests left open brings it about; jest has set the exit code by then.
    setTimeout(() => {
      process.stderr.write('A test left something open: the run ends here\n');
      process.exit();
    }, END_SECONDS_MAX * 1000).unref();
  }
}

function describeProgress(progress) {
  if (progress === undefined) return '  none of its tests has begun\n';
  const { failed, running } = progress;
  const lines = failed.map(
    ({ title, reason, tookMs }) => `failed after ${inSeconds(tookMs)}: ${title}: ${reason}`,
  );
  const now = running && `runs for ${inSeconds(Date.now() - running.sinceMs)}: ${running.title}`;
  return [...lines, now ?? 'no test runs: the file waits between two of them, in a hook']
    .map((line) => `  ${line}\n`)
    .join('');
}

function inSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
