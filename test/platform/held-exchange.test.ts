import { createHeldRequest, type HeldAnswer, HeldResponse } from '../../src/platform/held-exchange.ts';

function hold(work: (response: HeldResponse) => void, bytesMax = 100): Promise<HeldAnswer> {
  return new Promise((resolve) => {
    const request = createHeldRequest({ method: 'GET', url: '/', rawHeaders: [], body: undefined });
    work(new HeldResponse(request, bytesMax, resolve));
  });
}

describe('a response that is held', () => {
  it('tells the fields that were set and those that its head brings, of several the last one', async () => {
    const { fields, status } = await hold((response) => {
      response.setHeader('X-Own', 'a');
      response.setHeader('Link', 'own');
      response.writeHead(201, '', ['LINK', 'first', 'Link', 'last', 'Retry-After', 7].map(String));
      response.end('x');
    });
    expect(status).toBe(201);
    expect([fields.get('x-own'), fields.get('link'), fields.get('retry-after')]).toEqual(['a', 'last', '7']);
    expect([fields.list('link'), fields.list('x-none')]).toEqual(['own, first, last', undefined]);
    expect([fields.has('x-own'), fields.has('location'), fields.get('location')]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it('says that its head is out once it is written, and not before', async () => {
    const seen: boolean[] = [];
    await hold((response) => {
      seen.push(response.headersSent);
      response.writeHead(200, '', ['A', 'b']);
      seen.push(response.headersSent, response.writableFinished);
      response.end();
      seen.push(response.writableFinished);
    });
    expect(seen).toEqual([false, true, false, true]);
  });

  it('ends as cut, as too large, or whole, and has no status where there was no head', async () => {
    expect((await hold((response) => response.destroy())).status).toBe(0);
    const cut = (response: HeldResponse): void => {
      response.writeHead(200, '', []);
      response.write('abc');
      response.destroy();
    };
    expect(await hold(cut)).toMatchObject({ status: 200, end: 'cut', body: Buffer.from('abc') });
    expect(await hold((response) => response.end('abc'), 2)).toMatchObject({ end: 'too_large' });
    expect(await hold((response) => response.end('abc'), 3)).toMatchObject({ end: 'whole' });
  });
});
