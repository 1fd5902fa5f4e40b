import {
  queryOfPostedResponse,
  readAuthorizationResponse,
  readCallbackParameters,
} from '../../src/oauth/callback-parameters.ts';

function read(query: string, codeParameter = 'code') {
  const received = readCallbackParameters(query);
  return received && readAuthorizationResponse(received, codeParameter);
}

describe('reading an authorization response', () => {
  it('takes code, state and everything else that came once', () => {
    expect(read('code=c1&state=s1&iss=https%3A%2F%2Fas.example&realmId=7')).toEqual({
      code: 'c1',
      state: 's1',
      error: undefined,
      iss: 'https://as.example',
      all: { code: 'c1', state: 's1', iss: 'https://as.example', realmId: '7' },
    });
  });

  it('takes a code of 7,000 characters', () => {
    expect(read(`code=${'c'.repeat(7000)}&state=s1`)?.code).toHaveLength(7000);
  });

  it('takes an error with its state', () => {
    expect(read('error=access_denied&state=s1')).toMatchObject({
      error: 'access_denied',
      state: 's1',
    });
  });

  it.each([
    ['nothing', ''],
    ['no state', 'code=c1'],
    ['an empty state', 'code=c1&state='],
    ['neither code nor error', 'state=s1'],
    ['both code and error', 'state=s1&code=c1&error=access_denied'],
    ['two codes', 'state=s1&code=c1&code=c2'],
    ['two states', 'state=s1&state=s2&code=c1'],
    ['an issuer without a name', 'state=s1&code=c1&iss='],
    ['two issuers', 'state=s1&code=c1&iss=a&iss=b'],
    ['a code beyond 8 KiB', `state=s1&code=${'x'.repeat(8193)}`],
    [
      'more parameters than any provider sends',
      `state=s1&code=c1&${Array.from({ length: 50 }, (_, i) => `p${i}=1`).join('&')}`,
    ],
  ])('refuses %s', (_what, query) => {
    expect(read(query)).toBeUndefined();
  });

  it('takes the code under the name that the provider has for it, and under no other', () => {
    expect(read('auth_code=c1&state=s1', 'auth_code')).toMatchObject({ code: 'c1' });
    expect(read('code=c1&state=s1', 'auth_code')).toBeUndefined();
    expect(read('state=s1', 'toString')).toBeUndefined();
  });
});

describe('the query of a posted response', () => {
  it('has what was posted, less the ID token and the user’s name', () => {
    const body = { state: 's 1', code: 'c&1', id_token: 'e30.e30.', user: '{"name":"Ada"}' };
    expect(queryOfPostedResponse(body)).toBe('state=s+1&code=c%261');
  });

  it('repeats what came twice, so that it is refused', () => {
    const query = queryOfPostedResponse({ state: ['a', 'b'], code: 'c' });
    expect(query).toBe('state=a&state=b&code=c');
    expect(read(query)).toBeUndefined();
  });

  it.each([[undefined], ['text'], [null]])('is empty for %p', (body) => {
    expect(queryOfPostedResponse(body)).toBe('');
  });
});
