import { Socket } from 'node:net';
import { ContinueFilter } from '../../src/platform/skip-continue.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';

/** What a client reads of the pieces that arrive for one answer after another. */
function readAll(...answers: readonly (readonly string[])[]): string {
  const socket = new Socket();
  const filter = new ContinueFilter(socket);
  const read: Buffer[] = [];
  for (const pieces of answers) {
    filter.awaitHead();
    for (const piece of pieces) {
      socket.push(Buffer.from(piece, 'latin1'));
      const bytes: unknown = socket.read();
      if (Buffer.isBuffer(bytes)) read.push(bytes);
    }
  }
  socket.push(null);
  const last: unknown = socket.read();
  if (Buffer.isBuffer(last)) read.push(last);
  socket.destroy();
  return Buffer.concat(read).toString('latin1');
}

describe('100 Continue', () => {
  it.each([
    ['in one piece', [CONTINUE + ANSWER]],
    ['in a piece of its own', [CONTINUE, ANSWER]],
    ['several times', [CONTINUE + CONTINUE, CONTINUE, ANSWER]],
    ['byte by byte', [...(CONTINUE + ANSWER)]],
    ['of HTTP/1.0', ['HTTP/1.0 100 Continue\r\n\r\n', ANSWER]],
  ])('is left out, %s', (_how, pieces) => {
    expect(readAll(pieces, pieces)).toBe(ANSWER + ANSWER);
  });

  it.each([
    ['another status', ['HTTP/1.1 103 Early Hints\r\n\r\n', ANSWER]],
    ['no HTTP', ['SSH-2.0-OpenSSH_9.6\r\n']],
    ['one byte', ['H']],
    ['a body that looks like it', [ANSWER, CONTINUE]],
    ['a head that never ends', ['HTTP/1.1 100 C', 'x'.repeat(20_000), '\r\n\r\n', ANSWER]],
    ['what is left of it at the end', [CONTINUE.slice(0, 15)]],
  ])('is not: %s', (_what, pieces) => {
    expect(readAll(pieces)).toBe(pieces.join(''));
  });
});
