import { chooseScopesHint } from '../../src/web/dashboard/src/pages/integrations/scopes-hint.ts';

it.each([
  ['no scope is known', [], {}, 'noScopes'],
  [
    'the known ones only renew tokens or say who the user is',
    ['openid', 'profile', 'email', 'offline_access', 'offline', 'refresh_token'],
    {},
    'scopesOfUserAlone',
  ],
  ['one that opens the API is described', ['offline_access'], { 'read:issues': 'Read issues' }, 'scopesHint'],
  ['one that opens the API is asked for', ['read'], {}, 'scopesHint'],
])('where %s, the form says so', (_case, defaults, descriptions, hint) => {
  expect(chooseScopesHint({ scopes: { defaults, descriptions } })).toBe(hint);
});
