import { createServer } from 'node:http';
import request from 'supertest';
import { html, jsonScript, raw, renderPage, sendPage } from '../../src/http/html.ts';
import { closeServer, listen } from '../support/listen.ts';

const ATTACK = `</p><script>alert('x')</script>"&`;
const HARMLESS = '&lt;/p&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;';

describe('the html tag', () => {
  it('escapes values in text and in attributes', () => {
    expect(html`<p title="${ATTACK}">${ATTACK}</p>`.toString()).toBe(
      `<p title="${HARMLESS}">${HARMLESS}</p>`,
    );
  });

  it('takes markup of its own, lists and numbers, and writes nothing for nothing', () => {
    const rows = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(
      html`<ul>${rows}</ul>${0}${null}${undefined}${false}${['x', ['y']]}${raw('<hr>')}`.toString(),
    ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>0xy<hr>');
  });

  it('is not fooled by an object that looks like markup', () => {
    const forged: unknown = JSON.parse('{"markup": "<script>"}');
    expect(html`${String(forged)}`.toString()).toBe('[object Object]');
  });
});

describe('a JSON block', () => {
  it('cannot be ended by a value', () => {
    const block = jsonScript('data', { text: '</script><script>alert(1)</script><!--' }).toString();
    expect(block.match(/<\/?script/g)).toEqual(['<script', '</script']);
    const json = block.slice(block.indexOf('>') + 1, block.lastIndexOf('<'));
    expect(JSON.parse(json)).toEqual({ text: '</script><script>alert(1)</script><!--' });
  });
});

it.each([
  [503, undefined, '1'],
  [503, '10', '10'],
  [500, undefined, undefined],
])(
  'a page of status %i, with %s set before, says to come again after %s seconds',
  async (status, set, expected) => {
    const page = createServer((_incoming, response) => {
      if (set !== undefined) response.setHeader('Retry-After', set);
      sendPage(response, { status, title: 'Later', body: () => html`later` });
    });
    await listen(page);
    expect((await request(page).get('/')).headers['retry-after']).toBe(expected);
    await closeServer(page);
  },
);

describe('a page', () => {
  const server = createServer((_incoming, response) =>
    sendPage(response, {
      status: 422,
      title: 'A <title>',
      body: (nonce) => html`<script nonce="${nonce}">1</script>`,
    }),
  );
  beforeAll(() => listen(server));
  afterAll(() => closeServer(server));

  it('runs its own scripts only, is never framed, cached or told to others, and keeps its opener', async () => {
    const reply = await request(server).get('/');
    expect(reply.status).toBe(422);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'unsafe-none',
    });
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toMatch(/unsafe/);
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
    expect(reply.text).toContain(`<script nonce="${nonce}">`);
    expect(reply.text).toContain('A &lt;title&gt;');
  });

  it('has a new nonce each time', async () => {
    const [one, other] = [await request(server).get('/'), await request(server).get('/')];
    expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
  });

  it('tells its language, and the direction of those that are written from right to left', () => {
    const page = { title: 't', body: html`<h1>t</h1>`, nonce: 'n' };
    expect(renderPage(page)).toContain('<html lang="en">');
    expect(renderPage({ ...page, lang: 'de', dir: 'ltr' })).toContain('<html lang="de">');
    expect(renderPage({ ...page, lang: 'ar', dir: 'rtl' })).toContain('<html lang="ar" dir="rtl">');
  });

  it('is a complete document that fits a phone', () => {
    const text = renderPage({ title: 't', body: html`<h1>t</h1>`, nonce: 'n' });
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('width=device-width');
  });
});
