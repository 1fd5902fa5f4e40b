import type { MandatedCall } from '../../src/mandates/call.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';
import {
  describeEntry,
  nameReason,
  summarize,
} from '../../src/web/dashboard/src/pages/mandates/describe-entry.ts';
import type { Entry } from '../../src/web/dashboard/src/pages/mandates/mandate.ts';
import { toEntry, toValues } from '../../src/web/dashboard/src/pages/mandates/mandate-values.ts';
import { texts as words } from '../../src/web/dashboard/src/texts/en/mandates.ts';

const naming = { words, language: 'en', nameOf: (id: string) => (id === 'hubspot' ? 'HubSpot' : id) };
const CONNECTION = '019a0000-0000-7000-8000-000000000000';
const READ: Entry = { type: 'gateway_access', provider: 'hubspot', access: 'read', approval: 'none' };
const FULL: Entry = {
  ...READ,
  ...{ access: 'write', methods: ['PUT', 'PATCH'], paths: ['/a/*', '/b'], hosts: ['api'] },
  ...{ connectionId: CONNECTION, approval: 'each', perHour: 200 },
};

it('an entry is told in sentences, one for each limit', () => {
  expect(describeEntry(READ, naming).join(' ')).toBe('Reads at HubSpot, and changes nothing. At every path.');
  expect(describeEntry(FULL, naming)).toEqual([
    'Reads and changes at HubSpot.',
    'Only with PUT or PATCH.',
    'Only at the host api.',
    `Only by the connection ${CONNECTION}.`,
    'A person approves every call.',
    'At most 200 calls an hour of each user.',
    'Only at these 2 paths:',
  ]);
});

it('a mandate is told in one line, which counts what it leaves out', () => {
  const line = summarize([READ, FULL, READ, READ], naming);
  expect(line).toBe(
    'reads HubSpot; changes HubSpot (PUT or PATCH, 2 paths, with approval, 200 an hour); 2 more entries',
  );
});

it('the fields of an entry give the entry again, and empty ones limit nothing', () => {
  expect(toEntry(toValues(FULL, 0))).toEqual(FULL);
  expect(
    toEntry({ ...toValues(FULL, 0), methods: [], paths: ' \n', hosts: '', connectionId: '', perHour: ' ' }),
  ).toEqual({
    ...READ,
    ...{ access: 'write', approval: 'each' },
  });
});

const CALL: MandatedCall = {
  ...{ provider: 'hubspot', connectionId: '', host: undefined, method: 'POST', rawPath: '/a' },
  ...{ rawQuery: '', rawHeaders: [], hasBody: false, facts: undefined },
};

it.each([
  ['provider', { ...READ, provider: 'github' }, CALL],
  ['connection', { ...READ, connectionId: CONNECTION }, CALL],
  ['host', { ...READ, hosts: ['uploads'] }, CALL],
  ['method', { ...READ, methods: ['GET'] }, CALL],
  ['path', { ...READ, paths: ['/b'] }, CALL],
  ['reading', READ, CALL],
  ['batch', READ, { ...CALL, facts: { batch: ['/a'] } }],
  [
    'body',
    READ,
    { ...CALL, facts: { graphql: ['/a'] }, hasBody: true, rawHeaders: ['content-type', 'application/json'] },
  ],
] satisfies [keyof typeof words.reasons, Entry, MandatedCall][])(
  'why an entry does not allow a call has words in every language: %s',
  (name, entry, call) => {
    const [reason = null] = compileMandate([entry]).explain(call);
    expect(nameReason(reason, words)).toBe(words.reasons[name]);
  },
);
