import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the folder in which each worker keeps a file; jest-hang-reporter.mjs makes it. */
export const PROGRESS_FOLDER = 'GATEWAY_TEST_PROGRESS';
/** Far beyond what any test takes on a busy machine, and beyond what `until` waits in vain. */
const TEST_MINUTES_MAX = 8;

/**
 * Gives the test files an `it` and a `test` that note what runs and what has failed: the runner reports a file once it
 * has ended, and of one that does not end there would be no more than its name.
 */
export default function noteProgress() {
  const folder = process.env[PROGRESS_FOLDER];
  if (folder === undefined) return;
  const note = createNotes(join(folder, `${process.pid}.json`));
  const it = noteTests(globalThis.it, note);
  Object.assign(globalThis, { it, test: it });
}

/** What the workers noted of this file; undefined where none of its tests has begun. */
export function readProgress(folder, path) {
  const notes = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return notes.find((each) => each.path === path);
}

/** Writes to the file, whole each time, what the worker's present file has come to. */
function createNotes(file) {
  let progress = { path: undefined, failed: [] };
  const write = () => writeFileSync(file, JSON.stringify(progress));
  return {
    begin(path, title) {
      if (progress.path !== path) progress = { path, failed: [] };
      progress.running = { title, sinceMs: Date.now() };
      write();
    },
    end(error) {
      const { title, sinceMs } = progress.running;
      const [reason] = String(error?.message ?? error).split('\n');
      if (error !== undefined) progress.failed.push({ title, reason, tookMs: Date.now() - sinceMs });
      progress.running = undefined;
      write();
    },
  };
}

/** The runner's `it` for tests whose functions are noted. */
function noteTests(it, note) {
  const define = (original) => (name, run, timeout) => original(name, run && noteRun(run, note), timeout);
  const withTable = (original) =>
    Object.assign(define(original), { each: (...table) => define(original.each(...table)) });
  return Object.assign(withTable(it), {
    only: withTable(it.only),
    skip: it.skip,
    todo: it.todo,
    failing: it.failing,
    concurrent: it.concurrent,
  });
}

/** Rejects where a test waits for what never comes: the runner has no time limits, and a failed file can run once more. */
async function limitTime(running) {
  let timer;
  const limit = new Promise((_resolve, reject) => {
    const end = () => reject(new Error(`the test has not ended after ${TEST_MINUTES_MAX} minutes`));
    timer = setTimeout(end, TEST_MINUTES_MAX * 60_000);
  });
  try {
    await Promise.race([running, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function noteRun(run, note) {
  return async (...given) => {
    const { testPath, currentTestName } = expect.getState();
    note.begin(testPath, currentTestName);
    try {
      await limitTime(run(...given));
      note.end();
    } catch (error) {
      note.end(error);
      throw error;
    }
  };
}
