/**
 * Far beyond what any file takes on a busy machine, and beyond one in which each test waits in vain for its page: that
 * one ends by itself and names its failed tests. It only ends what hangs, since the runner has no time limits.
 */
const FILE_MINUTES_MAX = 20;
/** Far beyond what it takes to stop the servers around the tests. */
const END_SECONDS_MAX = 60;

/** Ends a run in which a file does not come to an end, and names the file; and one that does not end after its last. */
export default class HangReporter {
  #timers = new Map();

  onTestFileStart({ path }) {
    const end = () => {
      process.stderr.write(`${path} has not ended after ${FILE_MINUTES_MAX} minutes: the run ends here\n`);
      process.exit(1);
    };
    this.#timers.set(path, setTimeout(end, FILE_MINUTES_MAX * 60_000));
  }

  onTestFileResult({ path }) {
    clearTimeout(this.#timers.get(path));
  }

  onRunComplete() {
    // Unreferenced, so that only what tests left open brings it about; jest has set the exit code by then.
    setTimeout(() => {
      process.stderr.write('A test left something open: the run ends here\n');
      process.exit();
    }, END_SECONDS_MAX * 1000).unref();
  }
}
