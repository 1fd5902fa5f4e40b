import { missingScopes } from '../../src/oauth/granted-scopes.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

describe('scopes that are required but were not granted', () => {
  it('are none when the answer names no scope, which means "as requested"', () => {
    expect(missingScopes(['contacts.read'], null)).toEqual([]);
  });

  it('are named when the answer leaves them out', () => {
    expect(missingScopes(['contacts.read', 'contacts.write'], ['contacts.read', 'oauth'])).toEqual([
      'contacts.write',
    ]);
  });

  it.each<
    [string, readonly string[], readonly string[], readonly string[], Parameters<typeof missingScopes>[2]]
  >([
    ['in another order', ['a', 'b'], ['b', 'a'], [], {}],
    ['in one text with commas', ['a', 'b'], ['b,a'], [], {}],
    ['in another case', ['user.read', 'mail.read'], ['Mail.Read', 'User.Read'], [], { ignoreCase: true }],
    ['in another case, where case counts', ['user.read'], ['User.Read'], ['user.read'], {}],
    [
      'with the beginning that was left out',
      ['User.Read'],
      ['https://graph.example/user.read'],
      [],
      { ignoreCase: true, prefixes: ['https://Graph.example/'] },
    ],
    [
      'without the beginning that was asked for',
      ['https://graph.example/User.Read'],
      ['User.Read'],
      [],
      { prefixes: ['https://graph.example/'] },
    ],
    ['by another name', ['long.address'], ['address'], [], { aliases: { 'long.address': 'address' } }],
    ['by a wider one', ['user:email'], ['user'], [], { covers: { user: ['user:email'] } }],
    [
      'by a wider one that was not granted',
      ['user:email'],
      ['x'],
      ['user:email'],
      { covers: { user: ['user:email'] } },
    ],
    [
      'by the wider one of the same kind',
      ['read_orders'],
      ['write_orders'],
      [],
      { covers: { 'write_*': ['read_*'] } },
    ],
    [
      'by a wider one of another kind',
      ['read_orders'],
      ['write_products'],
      ['read_orders'],
      { covers: { 'write_*': ['read_*'] } },
    ],
    ['as a part of another word', ['read_orders'], ['read_orders_all'], ['read_orders'], {}],
  ])('count where they come %s', (_how, required, granted, missing, comparison) => {
    expect(missingScopes(required, granted, comparison)).toEqual(missing);
  });

  it('are compared as the entries of GitHub, Shopify, Microsoft and Google say', () => {
    const granted = (id: string, required: string[], answer: string[]) =>
      missingScopes(required, answer, builtInCatalog.find(id)?.scopeComparison);
    expect(granted('github', ['repo', 'public_repo', 'read:org'], ['repo', 'admin:org'])).toEqual([]);
    expect(granted('shopify', ['read_products', 'write_products'], ['write_products'])).toEqual([]);
    expect(granted('microsoft-365', ['user.read'], ['https://graph.microsoft.com/User.Read'])).toEqual([]);
    expect(granted('microsoft-365', ['user.read', 'mail.send'], ['User.Read'])).toEqual(['mail.send']);
    expect(
      granted('google', ['https://www.googleapis.com/auth/userinfo.email'], ['openid', 'email']),
    ).toEqual([]);
  });

  it('do not include scopes that servers honour without naming them', () => {
    expect(missingScopes(['contacts.read', 'offline_access', 'openid'], ['contacts.read'])).toEqual([]);
  });
});
