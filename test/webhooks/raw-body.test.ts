import { createServer, request as httpRequest } from 'node:http';
import { HttpError } from '../../src/http/errors.ts';
import { createRawBodyReader } from '../../src/webhooks/message/raw-body.ts';
import { closeServer, listen } from '../support/listen.ts';
import { until } from '../support/until.ts';

const KIB = 1024;

describe('bodies that drip', () => {
  it('make room for those that come at once where the memory for bodies is used up', async () => {
    const readBody = createRawBodyReader({ heldBytesMax: 100 * KIB });
    let opened = 0;
    const server = createServer((request, response) => {
      opened += 1;
      readBody(request, response).then(
        (body) => response.end(String(body.length)),
        (error: unknown) => response.writeHead(error instanceof HttpError ? error.status : 500).end(),
      );
    });
    const port = await listen(server);
    const begin = (bytes: number, isWhole: boolean) => {
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const headers = { 'content-length': isWhole ? bytes : bytes + 1 };
      const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.once('error', () => resolve(undefined));
      sent.write(Buffer.alloc(bytes));
      if (isWhole) sent.end();
      return { answered: promise, destroy: () => sent.destroy() };
    };
    const dripping = [];
    for (let count = 0; count < 3; count += 1) {
      dripping.push(begin(30 * KIB, false));
      await until(() => opened === count + 1);
    }
    for (let count = 0; count < 5; count += 1) {
      expect(await begin(60 * KIB, true).answered).toBe(200);
    }
    expect(await dripping[0]?.answered).toBe(503);
    for (const { destroy } of dripping) destroy();
    await closeServer(server);
  });
});

it('refuses the body of a sender that has left before it is read', async () => {
  const readBody = createRawBodyReader();
  let refusal: unknown;
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    request.once('close', () => {
      readBody(request, response).catch((error: unknown) => {
        refusal = error;
      });
    });
    sent.destroy();
  });
  const sent = httpRequest({ port: await listen(server), host: '127.0.0.1', method: 'POST' });
  sent.on('error', () => undefined);
  sent.write('{');
  await until(() => refusal !== undefined);
  expect(refusal).toMatchObject({ code: 'invalid_request' });
  await closeServer(server);
});
