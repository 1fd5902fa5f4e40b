import { readFileSync } from 'node:fs';
import { assertScopes } from '../../src/http/assert-scopes.ts';
import {
  findMissingScopes,
  includesScope,
  KEY_SCOPE_NAMES,
  type KeyScope,
} from '../../src/http/key-scopes.ts';
import type { Principal } from '../../src/http/principal.ts';

const keyWith = (...scopes: string[]): Principal => ({
  ...{ kind: 'api_key', apiKeyId: 'key', projectId: 'project' },
  scopes,
});

describe('the scopes of an API key', () => {
  it('give what they name, and reading where they write', () => {
    const included: Partial<Record<KeyScope, KeyScope>> = {
      'integrations:write': 'integrations:read',
      'connections:write': 'connections:read',
      'events:manage': 'events:read',
      'projects:write': 'projects:read',
      'configuration:write': 'configuration:read',
    };
    for (const held of KEY_SCOPE_NAMES) {
      for (const needed of KEY_SCOPE_NAMES) {
        const isGiven = held === needed || included[held] === needed;
        expect([held, needed, findMissingScopes([held], [needed])]).toEqual([
          held,
          needed,
          isGiven ? [] : [needed],
        ]);
      }
      expect(findMissingScopes(['*'], [held])).toEqual([]);
    }
  });

  it('that hold others are named in the document', () => {
    const page = readFileSync('docs/api-keys.md', 'utf8');
    const [, sentence = ''] = /\n(.* include the `read`[\s\S]*?)\. /.exec(page) ?? [];
    const isHolder = (held: KeyScope) =>
      KEY_SCOPE_NAMES.some((scope) => scope !== held && includesScope(held, scope));
    for (const held of KEY_SCOPE_NAMES.filter(isHolder)) expect(sentence).toContain(`\`${held}\``);
  });

  it.each([
    [[]],
    [['connections']],
    [['connections:*']],
    [['CONNECT']],
    [['toString', '__proto__']],
    [['connect ']],
  ])('%j give nothing', (held) => {
    for (const needed of KEY_SCOPE_NAMES) expect(findMissingScopes(held, [needed])).toEqual([needed]);
  });

  it('that an operation needs together are all needed, and the refusal names those that lack', () => {
    const refused = () =>
      assertScopes(keyWith('connections:write'), ['connections:read', 'events:read', 'polls']);
    expect(refused).toThrow(
      'The API key lacks the scopes `events:read` and `polls`, which this operation takes.',
    );
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'scope_missing',
        headers: {
          'WWW-Authenticate':
            'Bearer realm="gateway", error="insufficient_scope", scope="connections:read events:read polls"',
        },
      }),
    );
  });

  it('are asked of API keys alone, and of none where the operation needs none', () => {
    expect(() => assertScopes(keyWith('polls'), 'none')).not.toThrow();
    expect(() => assertScopes({ kind: 'operator', operatorId: 'operator' }, 'polls')).not.toThrow();
  });
});
