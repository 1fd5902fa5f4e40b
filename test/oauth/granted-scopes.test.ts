import { missingScopes } from '../../src/oauth/granted-scopes.ts';

describe('scopes that are required but were not granted', () => {
  it('are none when the answer names no scope, which means "as requested"', () => {
    expect(missingScopes(['contacts.read'], null)).toEqual([]);
  });

  it('are named when the answer leaves them out', () => {
    expect(missingScopes(['contacts.read', 'contacts.write'], ['contacts.read', 'oauth'])).toEqual([
      'contacts.write',
    ]);
  });

  it('do not include scopes that servers honour without naming them', () => {
    expect(missingScopes(['contacts.read', 'offline_access', 'openid'], ['contacts.read'])).toEqual([]);
  });
});
