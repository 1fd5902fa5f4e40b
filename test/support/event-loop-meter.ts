import { createServer } from 'node:net';

/**
 * Preloaded into a gateway process (`--import`): tells over the socket named by EVENT_LOOP_METER how much CPU time the
 * event loop's thread has used, in microseconds, whenever a byte comes. CPU time, so that a busy machine adds nothing.
 */
const path = process.env.EVENT_LOOP_METER;
if (path !== undefined) {
  const server = createServer((socket) => {
    socket.on('data', () => {
      const { user, system } = process.threadCpuUsage();
      socket.write(`${user + system}\n`);
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(path).unref();
}
