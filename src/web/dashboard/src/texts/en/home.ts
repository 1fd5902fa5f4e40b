/** Home, with the first five steps. */
export const texts = {
  title: 'Home',
  firstLead: 'Five steps to the first call of your application.',
  stepsTitle: 'First steps',
  stepsDone: ({ done, all }: { done: number; all: number }) => `${done} of ${all} done`,
  stepDone: 'Done',
  steps: {
    project: {
      title: 'Create a project',
      text: 'A project holds the integrations, connections and keys of one application.',
    },
    integration: {
      title: 'Create an integration',
      text: 'Choose a provider and enter the client that you registered there. The page says what to do at the provider, step by step.',
    },
    account: {
      title: 'Connect a test account',
      text: 'Go the way that your users will go, with an account of your own. It belongs to your test user and no one else sees it.',
    },
    call: {
      title: 'Make the first call',
      text: 'Call the provider’s own API. The gateway adds the access token and keeps it fresh.',
    },
    code: {
      title: 'Copy the code into your application',
      text: 'This step is done when the first call for one of your users has worked.',
    },
  },
  demoElsewhere:
    'The demo CRM is set up in the project Demo: choose it at the top left to try everything at once.',
  demoSignIn: 'Sign in at the demo CRM as ada@northwind.test with the password demo.',
  connectAccount: 'Connect a test account',
  chooseIntegration: (provider: string) => `Integration: ${provider}`,
  path: (provider: string) => `Path of the API of ${provider}`,
  sendCall: 'Send call',
  openConsole: 'Open console',
  answered: ({ status, time }: { status: number; time: string }) => `Answered ${status} in ${time}`,
  byProvider: 'The provider answered so. The gateway passed the call on.',
  byGateway: (code: string) => `The gateway refused the call: ${code}.`,
  answer: 'Answer',
  answerCut: (count: number) => `The first ${count} lines. The console shows the whole answer.`,
  codeNames: { node: 'Node', curl: 'curl', browser: 'Browser: connect' },
  codeKey: 'The key comes from the project’s settings:',
  apiKeys: 'API keys',
  callsOfDay: (count: number) => (count === 1 ? '1 call in 24 hours' : `${count} calls in 24 hours`),
  errorShare: (share: string) => `${share} errors`,
  attentionTitle: 'Needs attention',
  nothingToDo: 'Nothing needs you right now.',
  lostConnections: (count: number) =>
    count === 1 ? '1 connection needs its user' : `${count} connections need their users`,
  failedUsers: (count: number) =>
    count === 1 ? '1 user could not connect' : `${count} users could not connect`,
  failedUsersRemedy: 'See at which step and why under sign-ins of the integration.',
  lostRemedy: 'Ask these users to connect again; each keeps the connection’s id.',
  destinationDisabled: 'Destination disabled',
  destinationFailing: 'Destination failing',
  destinationDisabledRemedy: 'Its events wait. Mend the receiver, then enable it.',
  destinationFailingRemedy: 'Its events wait until an attempt succeeds. See what its receiver answers.',
  dayTitle: 'Calls',
  dayLead: 'Last 24 hours, by provider',
  noCalls: 'No calls in the last 24 hours.',
  provider: 'Provider',
  perHour: 'Per hour',
  calls: 'Calls',
  gatewayErrors: 'Gateway errors',
  providerErrors: 'Provider errors',
  p95: '95 % within',
  activityTitle: 'Latest activity',
  allActivity: 'All activity',
  when: 'When',
  action: 'Action',
  subject: 'Subject',
  actor: 'By',
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    home: typeof texts;
  }
}
