import { createServer } from 'node:net';

/** Comes once in every turn of more than a millisecond; setImmediate would keep the thread from ever resting. */
const EVERY_MS = 1;

/**
 * Preloaded into a gateway process (`--import`): answers over the socket named by EVENT_LOOP_METER with CPU time of the
 * event loop's thread, in microseconds. To `?`, what it has used since the process began; to `<`, 0, and it watches the turns
 * of the loop from then on; to `>`, the most that one turn has used since. CPU time, so that a busy machine adds nothing.
 */
const path = process.env.EVENT_LOOP_METER;
if (path !== undefined) {
  const turns = watchTurns();
  const read = { '?': () => used(), '<': () => turns.begin(), '>': () => turns.end() };
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.on('data', (asked: keyof typeof read) => socket.write(`${read[asked]()}\n`));
    socket.on('error', () => socket.destroy());
  });
  server.listen(path).unref();
}

function used(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function watchTurns() {
  let timer: NodeJS.Timeout | undefined;
  let longest = 0;
  let before = 0;
  const measure = () => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  };
  return {
    begin(): number {
      longest = 0;
      before = used();
      timer = setInterval(measure, EVERY_MS).unref();
      return 0;
    },
    end(): number {
      clearInterval(timer);
      measure();
      return longest;
    },
  };
}
