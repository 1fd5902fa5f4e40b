/**
 * Watches the turns of this thread's event loop. `stop` answers the CPU time of the longest one in milliseconds: what
 * other work would have had to wait for, on a machine without other load.
 */
export function watchTurns(): { stop(): number } {
  let longestMicroseconds = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const note = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMicroseconds = Math.max(longestMicroseconds, user + system);
    before = process.threadCpuUsage();
  };
  const look = () => {
    note();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop() {
      isOver = true;
      note();
      return longestMicroseconds / 1000;
    },
  };
}
