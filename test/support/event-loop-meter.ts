import { createServer } from 'node:net';
import { readThreadUs, watchTurns } from './watch-turns.ts';

/**
 * Preloaded into a gateway process (`--import`): answers over the socket named by EVENT_LOOP_METER with CPU time of the
 * event loop's thread, in microseconds. To `?`, what it has used since the process began; to `<`, 0, and it watches the turns
 * of the loop from then on; to `>`, the most that one turn has used since. CPU time, so that a busy machine adds nothing.
 */
const path = process.env.EVENT_LOOP_METER;
if (path !== undefined) {
  let endWatch = () => 0;
  const read = {
    '?': readThreadUs,
    '<': () => {
      endWatch = watchTurns();
      return 0;
    },
    '>': () => endWatch(),
  };
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.on('data', (asked: keyof typeof read) => socket.write(`${read[asked]()}\n`));
    socket.on('error', () => socket.destroy());
  });
  server.listen(path).unref();
}
