import type { AccessFacts } from '../../src/mandates/call.ts';
import { readUserMandate } from '../../src/mandates/read-user-mandate.ts';
import type { UserMandate } from '../../src/mandates/user-mandate.ts';

/** What the file of the attacked provider says. */
export const ATTACKED: AccessFacts = {
  reads: ['/contacts/search'],
  writes: ['/contacts/purge', '/bin/**'],
  batch: ['/composite', '/contacts/batch/*'],
  graphql: ['/graphql'],
  mcp: ['/mcp'],
  readingTools: ['search'],
  overrides: ['operation'],
};

const entry = (members: object) => ({ type: 'gateway_access', provider: 'demo', ...members });

/** What tokens say; the attacks of each family know what is outside of theirs. */
export const MANDATES = {
  readAll: [entry({ access: 'read' }), entry({ access: 'read', paths: ['/**'] })],
  readContacts: [entry({ access: 'read', paths: ['/contacts/**'] })],
  patchContacts: [entry({ access: 'write', methods: ['PATCH'], paths: ['/contacts/*'] })],
  postContacts: [entry({ access: 'write', paths: ['/contacts/*'] })],
  postAll: [entry({ access: 'write', methods: ['POST', 'GET'] })],
  writeAll: [entry({ access: 'write' }), entry({ access: 'write', paths: ['/**'] })],
  other: [{ ...entry({ access: 'write' }), provider: 'other' }],
} as const;

const compiled = new Map<string, UserMandate>();

export function readMandate(name: keyof typeof MANDATES): UserMandate {
  const known = compiled.get(name) ?? readUserMandate(MANDATES[name]);
  if (known === undefined) throw new Error('no mandate');
  compiled.set(name, known);
  return known;
}
