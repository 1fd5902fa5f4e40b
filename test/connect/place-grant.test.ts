import { placeGrant } from '../../src/connect/place-grant.ts';

const north = { id: 'c-north', accountId: 'north' };
const contoso = { id: 'c-contoso', accountId: 'contoso' };
const unknown = { id: 'c-unknown', accountId: null };
const connect = { connectionId: null, allowMultiple: false };

describe('where a new grant goes', () => {
  it.each([
    ['a first connection is made', [], 'north', connect, { kind: 'insert' }],
    [
      'the same account keeps its id',
      [north],
      'north',
      connect,
      { kind: 'replace', connectionId: 'c-north' },
    ],
    [
      'another account is a mismatch where only one is allowed',
      [north],
      'contoso',
      connect,
      { kind: 'mismatch' },
    ],
    [
      'another account is a second connection where several are allowed',
      [north],
      'contoso',
      { ...connect, allowMultiple: true },
      { kind: 'insert' },
    ],
    [
      'the same account keeps its id though several are allowed',
      [north, contoso],
      'contoso',
      { ...connect, allowMultiple: true },
      { kind: 'replace', connectionId: 'c-contoso' },
    ],
    [
      'an unknown account takes the place of the only connection',
      [unknown],
      null,
      connect,
      { kind: 'replace', connectionId: 'c-unknown' },
    ],
    [
      're-authorizing takes the named connection',
      [north, contoso],
      'contoso',
      { connectionId: 'c-contoso', allowMultiple: true },
      { kind: 'replace', connectionId: 'c-contoso' },
    ],
    [
      're-authorizing with another account is a mismatch, even where several are allowed',
      [north, contoso],
      'contoso',
      { connectionId: 'c-north', allowMultiple: true },
      { kind: 'mismatch' },
    ],
    [
      're-authorizing a known account is a mismatch where the provider did not tell whose the grant is',
      [north],
      null,
      { connectionId: 'c-north', allowMultiple: false },
      { kind: 'mismatch' },
    ],
    ['and so is connecting where only one is allowed', [north], null, connect, { kind: 'mismatch' }],
    [
      'a known account takes the place of one that was unknown',
      [unknown],
      'north',
      connect,
      { kind: 'replace', connectionId: 'c-unknown' },
    ],
    [
      're-authorizing a connection that is gone is a mismatch',
      [north],
      'north',
      { connectionId: 'c-gone', allowMultiple: false },
      { kind: 'mismatch' },
    ],
  ])('%s', (_claim, existing, accountId, session, expected) => {
    expect(placeGrant(existing, { accountId }, session)).toEqual(expected);
  });
});
