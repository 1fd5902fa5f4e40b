/** The words of signing in for agents. Names of services stay as they are. */
export const EN = {
  title: (client: string) => `Let ${client} use your accounts?`,
  lead: (application: string, user: string) =>
    `You are signed in at ${application} as ${user}. If you allow it, this program acts for you.`,
  client: 'Who asks',
  unnamed: 'A program without a name',
  address: (host: string) => `vouched for by ${host}`,
  unproved: 'The name is the program’s own word. What is proved is the address behind it.',
  noAddress: 'not vouched for by any address',
  nothingProved:
    'The name is the program’s own word, and nothing proves it. Look where the access goes, and allow only what you have begun yourself.',
  goesTo: 'Where the access goes',
  thisComputer: 'A program on this computer',
  program: (scheme: string) => `A program on this device (${scheme})`,
  may: 'What it may do',
  everything:
    'Read, create, change, send and delete in the accounts that you have connected, or will connect',
  also: 'And nothing that is not also among these:',
  nothing: 'Nothing: the limits that the application sets cannot be read.',
  read: (service: string) => `Read at ${service}`,
  write: (service: string) => `Read and change at ${service}`,
  oneAccount: 'one of your accounts there',
  methods: (names: string) => `by ${names} alone`,
  paths: (paths: string) => `only ${paths}`,
  asks: 'after asking you',
  perHour: (count: number) => `at most ${count} times an hour`,
  choice: 'How much of that',
  all: 'All of it',
  readOnly: 'Only read: nothing is created, changed, sent or deleted',
  allow: 'Allow',
  refuse: 'Do not allow',
  withdraw: 'You can withdraw it later in the application.',
  invalid: {
    title: 'This sign-in is over',
    text: 'It counts for half an hour, once, in the browser in which it began. Go back to your assistant and connect again.',
  },
  unavailable: {
    title: 'Nobody can sign in here yet',
    text: 'The application has not set up signing in for assistants. Its operators can do that.',
  },
  providerAway: {
    title: 'The sign-in does not answer',
    text: 'The sign-in service of the application cannot be reached. Nothing was allowed. Try again in a few minutes.',
  },
  providerFailed: {
    title: 'The application could not sign you in',
    text: 'Its sign-in service gave an answer that cannot be used here. Nothing was allowed. Try again; if that does not help, its operators have to look.',
  },
  noLimits: {
    title: 'The application has set no limits',
    text: 'It lets assistants act only within limits that it sets, and has set none for yours. Nothing was allowed. Its operators have to look.',
  },
  details: 'Details for support',
  code: 'Code',
  requestId: 'Request',
  failed: {
    title: 'That did not work',
    text: 'Nothing was allowed. Go back to your assistant and connect again, or try later.',
  },
};

export type Texts = typeof EN;
