import { buildApiMessage } from '../../src/credentials/calling/api-message.ts';

const REQUEST = { method: 'GET', path: '/contacts', query: '?limit=1', headers: {}, body: undefined };
const CONNECTION = {
  apiBase: { origin: 'https://api.acme.example', basePath: '/v1' },
  apiHeaders: new Map([['X-Version', '7']]),
  apiQuery: [],
  placement: { in: 'header', name: 'Authorization', template: 'Bearer {accessToken}' },
} as unknown as Parameters<typeof buildApiMessage>[1];
const CREDENTIAL = { version: 1, values: { accessToken: 'secret' } } as unknown as Parameters<
  typeof buildApiMessage
>[2];

describe('a request of the gateway’s own', () => {
  it('has the credential and the provider’s fields, and no type of a body that it has not', () => {
    const { url, headers, body } = buildApiMessage(REQUEST, CONNECTION, CREDENTIAL);
    expect(url).toBe('https://api.acme.example/v1/contacts?limit=1');
    expect(headers).toEqual({
      Accept: 'application/json',
      Authorization: 'Bearer secret',
      'X-Version': '7',
    });
    expect(body).toBeUndefined();
  });

  it('says that its body is JSON', () => {
    const { headers, body } = buildApiMessage(
      { ...REQUEST, method: 'POST', body: '{}' },
      CONNECTION,
      CREDENTIAL,
    );
    expect([headers?.['Content-Type'], body]).toEqual(['application/json', '{}']);
  });
});
