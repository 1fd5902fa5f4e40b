/** What tokens may do: mandates by name. */
export const texts = {
  title: 'Mandates',
  one: 'Mandate',
  lead: 'What user tokens may do. A token refers to a mandate here by the claim gateway_mandate; a change, or freezing it, acts on all of them within a second.',
  emptyTitle: 'No mandates yet',
  emptyText:
    'A token without one may do whatever its user’s connections may. Describe what an agent, a script or a browser tab needs, and nothing more.',
  create: 'Create mandate',
  newTitle: 'New mandate',
  editTitle: 'What it allows',
  name: 'Name',
  nameHint: 'For you and your colleagues, such as “Research agents”.',
  allows: 'Allows',
  state: 'State',
  states: { active: 'In force', frozen: 'Frozen' },
  lastUsed: 'Last used',
  usedFor: 'Users',
  notSeen: 'not seen',
  usesNote:
    'Counted over the calls that are kept: failures, slow calls and a sample of the others, for some days. “Not seen” does not prove that a mandate is unused.',
  changed: 'Changed',
  created: 'Created',
  id: 'Id for tokens',
  freeze: 'Freeze',
  thaw: 'Put in force',
  frozenDone: 'Frozen: its tokens may do nothing',
  thawedDone: 'In force again',
  frozenTitle: 'This mandate is frozen',
  frozenText:
    'Every call of a token that refers to it is refused with mandate_frozen until it is put in force.',
  deleteTitle: (name: string) => `Delete mandate ${name}?`,
  deleteTokens:
    'Every token that refers to it may do nothing from then on; new tokens have to name another mandate.',
  deleteUses: (count: number) =>
    count === 1 ? 'It was used for one user lately.' : `It was used for ${count} users lately.`,
  deleted: 'Mandate deleted',
  saved: 'Saved: tokens have it within a second',
  noIntegrations: 'There is no integration yet. A mandate names providers that the project has.',
  conflictTitle: 'Another operator changed this mandate meanwhile',
  conflictText: 'Load it again to see what it says now. What you changed here is then lost.',
  loadAgain: 'Load again',

  entry: (index: number) => `Entry ${index}`,
  addEntry: 'Add entry',
  removeEntry: (index: number) => `Remove entry ${index}`,
  entriesLead: 'Entries only allow: a call passes if any of them allows it.',
  provider: 'Provider',
  access: 'May',
  accesses: { read: 'Read', write: 'Read and change' },
  methods: 'Methods',
  methodsHint: 'None ticked: all that reading or changing needs.',
  paths: 'Paths',
  pathsHint:
    'One in a line, as the call writes them behind the provider. * is one segment, ** at the end the rest. Empty: all.',
  approval: 'Approval by a person',
  approvals: { none: 'Not asked for', once: 'For the first call of a token', each: 'For every call' },
  perHour: 'Calls an hour of one user',
  perHourHint: 'Empty: no limit. Each process counts for itself.',
  perHourInvalid: 'A whole number from 1 to 1,000,000',
  more: 'Host and connection',
  hosts: 'Hosts',
  hostsHint: 'Names of further hosts, separated by commas; api is the usual one. Empty: all.',
  connection: 'Connection id',
  connectionHint: 'This connection alone. Empty: any of the user’s.',

  explained: 'In words',
  explainedLead: 'Changes as you type. Nothing is saved yet.',
  explainedNow: 'What tokens with this mandate may do now.',
  says: {
    read: (provider: string) => `Reads at ${provider}, and changes nothing.`,
    write: (provider: string) => `Reads and changes at ${provider}.`,
    methods: (methods: string) => `Only with ${methods}.`,
    hosts: (hosts: string) => `Only at the host ${hosts}.`,
    connection: (id: string) => `Only by the connection ${id}.`,
    approval: {
      once: 'A person approves the first call of each token.',
      each: 'A person approves every call.',
    },
    perHour: (count: number) =>
      count === 1 ? 'At most one call an hour of each user.' : `At most ${count} calls an hour of each user.`,
    allPaths: 'At every path.',
    paths: (count: number) => (count === 1 ? 'Only at this path:' : `Only at these ${count} paths:`),
  },
  brief: {
    read: (provider: string) => `reads ${provider}`,
    write: (provider: string) => `changes ${provider}`,
    paths: (count: number) => (count === 1 ? '1 path' : `${count} paths`),
    approval: 'with approval',
    perHour: (count: number) => `${count} an hour`,
    more: (count: number) => (count === 1 ? '1 more entry' : `${count} more entries`),
  },
  byMethods: (provider: string) => `Calls to ${provider} are judged by their method alone`,
  byMethodsText:
    'Its file does not say which requests read and which change: a search by POST is refused to readers, and a GET that changes something passes as reading.',

  tryTitle: 'Try a call',
  tryLead: 'Nothing is sent. Hourly limits are left out.',
  tryMethod: 'Method',
  tryPath: 'Path',
  tryBody: 'Body',
  tryBodyHint: 'JSON or text, where the body decides: GraphQL, forms, messages of MCP.',
  allowedBy: (index: number) => `Allowed by entry ${index}`,
  allowedAsking: {
    once: (index: number) => `Allowed by entry ${index}, once a person has approved the first call`,
    each: (index: number) => `Allowed by entry ${index}, after a person has approved it`,
  },
  refused: 'Refused',
  refusedLine: ({ index, reason }: { index: string; reason: string }) => `Entry ${index}: ${reason}`,
  tryFirst: 'Type a path to see what this mandate makes of the call.',
  reasons: {
    provider: 'it is for another provider',
    connection: 'it names another connection',
    host: 'it does not name this host',
    method: 'it does not name this method',
    path: 'it does not name this path',
    reading: 'it allows reading alone',
    body: 'the body decides: type it',
    batch: 'a batch carries other requests inside, and the entry does not name its path in full',
  },

  calls: {
    title: 'Made of these calls',
    lead: (count: number) =>
      count === 1
        ? 'One call of the log. Ids in paths became *; all else stands as it was called.'
        : `${count} calls of the log. Ids in paths became *; all else stands as it was called.`,
    cut: 'More calls match these filters than are looked at: the newest ones are here.',
    none: 'No call matches these filters',
    noneText: 'Calls whose token was refused are left out, since they belong to no user.',
    leftOut: (count: number) =>
      count === 1
        ? 'One call is left out: the log does not keep its whole path, or a mandate cannot name it.'
        : `${count} calls are left out: the log does not keep their whole paths, or a mandate cannot name them.`,
    tooLarge: 'These calls are too different for one mandate',
    tooLargeText: 'It holds 32 entries in 8 KiB. Filter the calls by user or provider, and make one of each.',
    hosts:
      'The log does not keep which further host a call went to: the entries allow all hosts of the provider.',
    call: 'Call',
    pattern: 'Allowed as',
    counted: 'Calls',
    back: 'Back to the calls',
  },

  uses: {
    title: 'Who used it',
    none: 'No kept call was made under this mandate.',
    user: 'User',
    actor: 'Acting',
    self: 'the user',
    provider: 'Provider',
    calls: 'Calls',
    refused: 'Refused',
    last: 'Last',
    cut: 'The latest 200 are shown.',
    all: 'All calls under it',
  },
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    mandates: typeof texts;
  }
}
