import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { callerGone } from '../../src/http/caller-gone.ts';
import { sendStream } from '../../src/http/reply.ts';
import { closeServer, listen } from '../support/listen.ts';
import { untilClosed } from '../support/until-closed.ts';
import { captureLog } from './support.ts';

const server = createServer();
const port = await listen(server);
afterAll(() => closeServer(server));

async function open() {
  const caller = request({ port, host: '127.0.0.1' }).end();
  caller.on('error', () => undefined);
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { caller, response };
}

describe('a caller that leaves', () => {
  it.each([
    ['before anybody asks', true],
    ['while somebody listens', false],
  ])('is noticed %s', async (_when, isLeftBefore) => {
    const { caller, response } = await open();
    const early = isLeftBefore ? undefined : callerGone(response);
    expect(early?.aborted).not.toBe(true);
    caller.destroy();
    await untilClosed(response);
    expect((early ?? callerGone(response)).aborted).toBe(true);
  });

  it('is written no reply that would go on as long as its caller is there', async () => {
    const { caller, response } = await open();
    caller.destroy();
    await untilClosed(response);
    let streams = 0;
    const stream = async () => {
      streams += 1;
    };
    await sendStream(response, { status: 200, headers: {}, body: undefined }, stream, captureLog().log);
    expect(streams).toBe(0);
  });
});
