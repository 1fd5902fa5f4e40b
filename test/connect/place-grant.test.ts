import { placeGrant } from '../../src/connect/place-grant.ts';

const north = { id: 'c-north', accountId: 'north', tenantId: null };
const contoso = { id: 'c-contoso', accountId: 'contoso', tenantId: null };
const unknown = { id: 'c-unknown', accountId: null, tenantId: null };
const connect = { connectionId: null, tenantId: null, allowMultiple: false };

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
      { ...connect, connectionId: 'c-contoso', allowMultiple: true },
      { kind: 'replace', connectionId: 'c-contoso' },
    ],
    [
      're-authorizing with another account is a mismatch, even where several are allowed',
      [north, contoso],
      'contoso',
      { ...connect, connectionId: 'c-north', allowMultiple: true },
      { kind: 'mismatch' },
    ],
    [
      're-authorizing a known account is a mismatch where the provider did not tell whose the grant is',
      [north],
      null,
      { ...connect, connectionId: 'c-north', allowMultiple: false },
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
      { ...connect, connectionId: 'c-gone', allowMultiple: false },
      { kind: 'mismatch' },
    ],
  ])('%s', (_claim, existing, accountId, session, expected) => {
    expect(placeGrant(existing, { accountId, tenantId: null }, session)).toEqual(expected);
  });
});

describe('where a grant on one of several tenants goes', () => {
  const east = { id: 'c-east', accountId: 'mia', tenantId: 'east' };
  const onWest = { accountId: 'mia', tenantId: 'west' };
  it.each([
    ['another tenant of the same account is a mismatch where one is allowed', east, connect, 'mismatch'],
    ['and a second connection where several are', east, { ...connect, allowMultiple: true }, 'insert'],
    ['re-authorizing does not move a connection', east, { ...connect, connectionId: 'c-east' }, 'mismatch'],
    [
      'except to the tenant that the session names',
      east,
      { ...connect, connectionId: 'c-east', tenantId: 'west' },
      'replace',
    ],
    ['a connection without a tenant takes it', { ...east, tenantId: null }, connect, 'replace'],
  ])('%s', (_claim, existing, session, kind) => {
    expect(placeGrant([existing], onWest, session).kind).toBe(kind);
  });

  it('a session that names the tenant moves a connection whose account is its tenant', () => {
    const site = { id: 'c-site', accountId: 'east', tenantId: 'east' };
    const session = { ...connect, connectionId: 'c-site', tenantId: 'west' };
    expect(placeGrant([site], { accountId: 'west', tenantId: 'west' }, session).kind).toBe('replace');
  });
});
