/** Calls of agents that wait for a person. */
export const texts = {
  title: 'Approvals',
  one: 'Approval',
  lead: 'Calls whose mandate wants a person to say yes first, newest first. What was asked is erased when it ends.',
  emptyTitle: 'Nothing waits for approval',
  emptyText: 'Calls appear here when a token has a mandate with an entry that asks for approval.',
  state: 'State',
  states: {
    pending: 'Waits',
    approved: 'Approved',
    rejected: 'Refused',
    expired: 'Expired',
    used: 'Sent',
  },
  call: 'Call',
  provider: 'Provider',
  user: 'User',
  asker: 'Who asks',
  asked: 'Asked',
  unnamed: 'The token does not name it',
  declared: (name: string) => `calls itself ${name}`,
  connection: 'Connection',
  facts: 'Facts',
  expires: 'Expires',
  decided: 'Decided',
  decidedBy: 'Decided by',
  deciders: { operator: 'An operator', api_key: 'An API key', end_user: 'The user' },
  host: 'Host',
  path: 'Path',
  query: 'Query',
  headers: 'Header fields',
  body: 'Body',
  binary: 'It is not text: these are its bytes in Base64.',
  unseen: 'Characters that cannot be seen are named, as in ⟨U+200B⟩.',
  erasedCall: '(erased)',
  overtaken: 'It had been decided, or had ended, before. This page shows what became of it now.',
  erased: 'It has ended, and what was asked is erased.',
  eachTitle: 'Approving lets this very call be sent, once',
  eachText: 'Any other call is asked about again.',
  onceTitle: 'Approving lets more than this call pass',
  onceText: 'Once it is sent, later calls of the same token by this entry are not asked about.',
  approve: 'Approve',
  reject: 'Refuse',
  approved: 'Approved. The caller may send it now.',
  rejected: 'Refused',
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    approvals: typeof texts;
  }
}
