/** Comes once in every turn of more than a millisecond; setImmediate would keep the thread from ever resting. */
const EVERY_MS = 1;

/** The CPU time that this thread has used since it began, in microseconds. */
export function readThreadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Watches the turns of this thread's event loop; gives the function that ends it with the most that one has used, in microseconds. */
export function watchTurns(): () => number {
  let longestUs = 0;
  let before = readThreadUs();
  const measure = () => {
    const now = readThreadUs();
    longestUs = Math.max(longestUs, now - before);
    before = now;
  };
  const timer = setInterval(measure, EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    measure();
    return longestUs;
  };
}
