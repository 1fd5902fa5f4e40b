import { readMandateClaim } from '../../src/mandates/mandate.schema.ts';
import { readUserMandate } from '../../src/mandates/read-user-mandate.ts';

const ENTRY = { type: 'gateway_access', provider: 'hubspot', access: 'read' };

describe('the claim authorization_details', () => {
  it('that is missing, or for other resource servers alone, leaves a token as it is', () => {
    expect(readUserMandate(undefined)).toBeUndefined();
    expect(readUserMandate([{ type: 'payment_initiation', amount: 1 }])).toBeUndefined();
  });

  it('gives its own entries beside those of others', () => {
    const reading = readMandateClaim([{ type: 'account_information' }, ENTRY]);
    expect(reading).toEqual({ kind: 'entries', entries: [{ ...ENTRY, approval: 'none' }] });
  });

  it('has room for 8 KiB as they are given, and as they are read again', () => {
    const given = Array.from({ length: 16 }, (_, index) => ({
      ...ENTRY,
      paths: [`/${index}${'x'.repeat(400)}`],
    }));
    const list = (length: number) => [
      ...given,
      { ...ENTRY, hosts: ['host'], paths: [`/${'y'.repeat(length)}`] },
    ];
    const edge = 8_192 - JSON.stringify(list(0)).length;
    const reading = readMandateClaim(list(edge));
    expect(reading.kind === 'entries' && readMandateClaim(reading.entries)).toEqual(reading);
    const wide = list(edge).map((entry) => ('hosts' in entry ? { ...entry, hosts: ['hóst'] } : entry));
    expect([readMandateClaim(list(edge + 1)).kind, readMandateClaim(wide).kind]).toEqual([
      'malformed',
      'malformed',
    ]);
  });

  it.each([
    ['an empty list', []],
    ['null', null],
    ['text', 'read'],
    ['an object', ENTRY],
    ['an entry without a type', [{ provider: 'hubspot', access: 'write' }]],
    ['an entry whose type is no text', [{ ...ENTRY, type: 1 }]],
    ['an entry that is none', [null]],
    ['an unknown member', [{ ...ENTRY, acess: 'read' }]],
    ['an unknown access', [{ ...ENTRY, access: 'admin' }]],
    ['no provider', [{ type: 'gateway_access', access: 'read' }]],
    ['an empty list of paths', [{ ...ENTRY, paths: [] }]],
    ['a pattern within a segment', [{ ...ENTRY, paths: ['/crm/con*'] }]],
    ['two open ends', [{ ...ENTRY, paths: ['/**/a/**'] }]],
    ['an open middle', [{ ...ENTRY, paths: ['/a/**/b'] }]],
    ['a path without its slash', [{ ...ENTRY, paths: ['crm/**'] }]],
    ['a path with a query', [{ ...ENTRY, paths: ['/a?b'] }]],
    ['a method in lower case', [{ ...ENTRY, methods: ['get'] }]],
    ['too many entries', Array.from({ length: 33 }, () => ENTRY)],
    [
      'more than 8 KiB',
      Array.from({ length: 20 }, (_, index) => ({ ...ENTRY, paths: [`/${index}${'x'.repeat(500)}`] })),
    ],
  ])('with %s allows nothing, and says why', (_title, claim) => {
    const mandate = readUserMandate(claim);
    expect(mandate?.refusal?.detail).toMatch(/authorization_details/);
  });
});
