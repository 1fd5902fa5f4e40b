import { keepHeaders, keepQuery } from '../../src/webhooks/receipts/kept-headers.ts';

const SECRET = 'a-secret-of-the-provider';
const none = { signature: { scheme: 'none' } } as const;

describe('a receipt', () => {
  it.each([
    'authorization',
    'x-auth',
    'x-auth-token',
    'cookie',
    'x-api-key',
    'x-access-key',
    'x-shared-secret',
    'x-goog-channel-token',
    'x-webhook-password',
    'x-hub-signature-256',
    'x-sig',
  ])('does not show the whole of the field %s', (name) => {
    expect(JSON.stringify(keepHeaders(new Map([[name, [SECRET]]]), none))).not.toContain(SECRET);
  });

  it.each(['token', '%74oken', 'key', 'auth', 'api_key', 'apikey', 'sig', 'pwd', 'hmac', 'x_signature'])(
    'does not show the whole of the parameter %s',
    (name) => {
      expect(keepQuery(`a=1&${name}=${SECRET}`, none)).not.toContain(SECRET);
    },
  );

  it('shows what describes the webhook', () => {
    const fields = new Map([
      ['x-event-key', ['repo:push']],
      ['x-author', ['ada']],
      ['content-type', ['application/json']],
    ]);
    expect(keepHeaders(fields, none)).toEqual(Object.fromEntries(fields));
    expect(keepQuery('assigned=1&a=b=c&d', none)).toContain('a=b=c&d');
  });
});
