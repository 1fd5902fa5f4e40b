import { readCallbackParameters } from '../../src/oauth/callback-parameters.ts';

describe('reading an authorization response', () => {
  it('takes code, state and everything else that came once', () => {
    expect(readCallbackParameters('code=c1&state=s1&iss=https%3A%2F%2Fas.example&realmId=7')).toEqual({
      code: 'c1',
      state: 's1',
      error: undefined,
      iss: 'https://as.example',
      all: { code: 'c1', state: 's1', iss: 'https://as.example', realmId: '7' },
    });
  });

  it('takes an error with its state', () => {
    expect(readCallbackParameters('error=access_denied&state=s1')).toMatchObject({
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
    ['two issuers', 'state=s1&code=c1&iss=a&iss=b'],
    ['a code beyond 4 KiB', `state=s1&code=${'x'.repeat(4097)}`],
    [
      'more parameters than any provider sends',
      `state=s1&code=c1&${Array.from({ length: 50 }, (_, i) => `p${i}=1`).join('&')}`,
    ],
  ])('refuses %s', (_what, query) => {
    expect(readCallbackParameters(query)).toBeUndefined();
  });
});
