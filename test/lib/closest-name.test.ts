import { closestName } from '../../src/lib/closest-name.ts';

const KNOWN = ['provider', 'integrationId', 'connectionId', 'returnUrl', 'userId', 'locale'];

describe('the closest name', () => {
  it.each([
    ['serviceProvider', 'provider'],
    ['Provider', 'provider'],
    ['return_url', 'returnUrl'],
    ['retrunUrl', 'returnUrl'],
    ['integrationid', 'integrationId'],
    ['user', 'userId'],
  ])('to %s is %s', (given, meant) => {
    expect(closestName(given, KNOWN)).toBe(meant);
  });

  it.each(['colour', '', '___', 'x'.repeat(65), 'id'])('to "%s" is none', (given) => {
    expect(closestName(given, KNOWN)).toBeUndefined();
  });

  it('is none where nothing is known', () => {
    expect(closestName('provider', [])).toBeUndefined();
  });
});
