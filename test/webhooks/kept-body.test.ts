import { keepBody } from '../../src/webhooks/receipts/kept-body.ts';
import { buildRequest, describeProvider } from './support/requests.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SECRET = 'the-"secret"-é';

function kept(
  body: string,
  options: { id?: string; isVerified?: boolean; headers?: Record<string, string> } = {},
) {
  const { id = 'aircall', isVerified = true, headers = JSON_TYPE } = options;
  const judged = { secrets: ['older', SECRET], isVerified };
  return keepBody(buildRequest({ body, headers }), describeProvider(id), judged).toString();
}

it.each([
  ['as it is written', `{"token":${JSON.stringify(SECRET)},"n":1.00}`, '{"token":"(left out)","n":1.00}'],
  [
    'with blanks',
    '{ "token" :\n "older" , "é": 12345678901234567890 }',
    '{ "token" :\n "(left out)" , "é": 12345678901234567890 }',
  ],
  ['with escapes', '{"token":"the-\\u0022secret\\u0022-\\u00e9"}', '{"token":"(left out)"}'],
  [
    'somewhere else again',
    `{"token":"older","list":["older"]}`,
    '{"token":"(left out)","list":["(left out)"]}',
  ],
])('leaves the secret out %s, and every other byte as it came', (_what, body, wanted) => {
  expect(kept(body)).toBe(wanted);
});

it('leaves other values of that name to the event', () => {
  const body = '{"token":"older","data":{"token":"a value of the provider","other":"x"}}';
  expect(kept(body)).toBe(body.replace('older', '(left out)'));
});

it.each([
  '{"token":"unknown","a":1}',
  '{"token":"unkno',
  '{"token":"unknown\\"',
  'not JSON "token": "unknown" at all',
])('leaves out what a refused webhook has in that place, read as JSON or not: %j', (body) => {
  expect(kept(body, { isVerified: false })).not.toContain('unkno');
});

it('leaves out every clientState of a list, and a secret that a handshake brings', () => {
  const body = '{"value":[{"clientState":"older","id":1},{"clientState":"older","id":2}]}';
  expect(kept(body, { id: 'outlook' })).toBe(body.replaceAll('older', '(left out)'));
  expect(kept('{"verification_token":"brought"}', { id: 'notion', isVerified: false })).not.toContain(
    'brought',
  );
});

it('leaves a field of a form out', () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `a=1&token=${encodeURIComponent(SECRET)}&b=%C3%A9`;
  expect(kept(body, { headers })).toBe('a=1&token=(left%20out)&b=%C3%A9');
});

it('takes the signature off a body that is a token', () => {
  expect(kept('aGVhZGVy.Y2xhaW1z.c2lnbmF0dXJl', { id: 'dialpad' })).toBe('aGVhZGVy.Y2xhaW1z.(left out)');
  expect(kept('no token', { id: 'dialpad', isVerified: false })).toBe('(left out)');
});

it('keeps the bytes of a body whose provider puts no secret there', () => {
  const request = buildRequest({ body: Buffer.from([0xff, 0x00, 0x22]) });
  expect(keepBody(request, describeProvider('hubspot'), { secrets: [SECRET], isVerified: true })).toBe(
    request.body,
  );
});
