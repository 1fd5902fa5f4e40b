import { once } from 'node:events';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ANSWER_HEAD_BYTES_MAX } from '../../src/platform/dispatcher.ts';
import { ContinueFilter } from '../../src/platform/skip-continue.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n';
const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';

/** What a client reads of the pieces that arrive for one answer after another. */
async function readAll(...answers: readonly (readonly string[])[]): Promise<string> {
  const socket = new Socket();
  const filter = new ContinueFilter(socket, ANSWER_HEAD_BYTES_MAX);
  const read: Buffer[] = [];
  socket.on('readable', () => {
    for (let bytes: unknown = socket.read(); Buffer.isBuffer(bytes); bytes = socket.read()) read.push(bytes);
  });
  for (const pieces of answers) {
    filter.awaitHead();
    for (const piece of pieces) {
      socket.push(Buffer.from(piece, 'latin1'));
      // What a stream has to say, it says in ticks before this.
      await setImmediate();
    }
  }
  const ended = once(socket, 'end');
  socket.push(null);
  await ended;
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
  ])('is left out, %s', async (_how, pieces) => {
    expect(await readAll(pieces, pieces)).toBe(ANSWER + ANSWER);
  });

  it.each([
    ['in pieces of their own', [HINT, CONTINUE, HINT, ANSWER]],
    ['in one piece', [HINT + CONTINUE + HINT + ANSWER]],
    ['byte by byte', [...(HINT + CONTINUE + HINT + ANSWER)]],
  ])('is left out between other interim answers, which pass, %s', async (_how, pieces) => {
    expect(await readAll(pieces, pieces)).toBe((HINT + HINT + ANSWER).repeat(2));
  });

  it('is left out after another interim answer that is as long as the client takes, in pieces', async () => {
    const hint = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(ANSWER_HEAD_BYTES_MAX - 1024)}\r\n\r\n`;
    const pieces = [hint.slice(0, 20_000), hint.slice(20_000), CONTINUE, ANSWER];
    expect(await readAll(pieces)).toBe(hint + ANSWER);
  });

  it.each([
    ['another status', [HINT, ANSWER]],
    ['a switch of protocols', ['HTTP/1.1 101 Switching\r\n\r\n', CONTINUE]],
    ['no HTTP', ['SSH-2.0-OpenSSH_9.6\r\n']],
    ['what begins with one byte', ['H', ANSWER.slice(1)]],
    ['a body that looks like it', [ANSWER, CONTINUE]],
    ['a head that never ends', ['HTTP/1.1 100 C', 'x'.repeat(ANSWER_HEAD_BYTES_MAX), '\r\n\r\n', ANSWER]],
  ])('is not: %s', async (_what, pieces) => {
    expect(await readAll(pieces)).toBe(pieces.join(''));
  });
});
