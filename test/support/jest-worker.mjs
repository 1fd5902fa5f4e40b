/**
 * Ends a worker whose run has ended. What a failed test has left open (a server, a pool of connections) would keep it
 * alive, and with it the output that a shell waits for.
 */
export default function endWithRun() {
  process.once('disconnect', () => process.exit());
}
