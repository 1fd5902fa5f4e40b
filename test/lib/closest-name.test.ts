import { findClosestName, suggestName } from '../../src/lib/closest-name.ts';

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
    expect(findClosestName(given, KNOWN)).toBe(meant);
  });

  it.each(['colour', '', '___', 'x'.repeat(65), 'id'])('to "%s" is none', (given) => {
    expect(findClosestName(given, KNOWN)).toBeUndefined();
  });

  it('is none where nothing is known', () => {
    expect(findClosestName('provider', [])).toBeUndefined();
  });
});

describe('what a fault adds', () => {
  it('is a question with the closest name as the caller quotes it', () => {
    expect(suggestName('retrunUrl', KNOWN)).toBe('; did you mean returnUrl?');
    expect(suggestName('retrunUrl', KNOWN, (name) => `{${name}}`)).toBe('; did you mean {returnUrl}?');
  });

  it('is nothing where no name is near', () => {
    expect(suggestName('colour', KNOWN)).toBe('');
  });
});
