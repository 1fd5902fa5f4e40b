/** Every sentence that a person reads on the page of an approval. English gives the shape. */
export const EN = {
  title: (service: string) => `Allow this call to ${service}?`,
  lead: 'A program wants to send exactly what you see here, with your account. Nothing has been sent yet.',
  who: 'Who asks',
  unnamed: 'A program with a token of the application, which does not name it',
  onBehalfOf: (name: string) => `on behalf of ${name}`,
  client: (name: string) => `Client: ${name}`,
  declared: (name: string) => `It calls itself ${name}, which nothing proves.`,
  service: 'Service',
  account: 'Account',
  host: 'Host',
  method: 'Method',
  path: 'Path',
  query: 'Query',
  noQuery: 'None',
  fields: 'Header fields',
  noFields: 'None of its own',
  name: 'Name',
  value: 'Value',
  body: 'Body',
  noBody: 'None',
  bytes: (count: number) => (count === 1 ? '1 byte' : `${count} bytes`),
  readable: 'For reading',
  asSent: 'As it is sent',
  binary: 'It is not text. These are its bytes, in Base64:',
  unseen:
    'Characters that cannot be seen are named, as in ⟨U+200B⟩. What a name or an address looks like does not prove whose it is.',
  once: 'If you allow this, the program may send further calls of this kind without asking, for as long as its present access lasts (a day at most):',
  onceAll: 'all paths',
  each: 'If you allow this, the call may be sent once, within some minutes. Any other call is asked about again.',
  allow: 'Allow',
  refuse: 'Do not allow',
  refuseAfterAll: 'Do not allow it after all',
  until: (time: string) => `Decide until ${time}.`,
  states: {
    approved: {
      title: 'Allowed',
      text: 'The program may send the call now. You can close this page and go back.',
    },
    rejected: { title: 'Not allowed', text: 'The call will not be sent. You can close this page.' },
    used: { title: 'Sent', text: 'You had allowed this call, and it has been sent.' },
    expired: {
      title: 'Too late',
      text: 'The time to decide is over, and nothing was sent. The program can ask again.',
    },
  },
  closed: {
    title: 'Sign in to decide',
    text: 'A program asks for your approval of a call. To see it, open it from the application with which you connected your account: it knows who you are, and this address does not.',
    goOn: 'Continue in the application',
  },
  linkUsed: {
    title: 'This link has been used',
    text: 'It opens once, in one browser, for half an hour. Open the request again from the application.',
  },
  failed: {
    title: 'That did not work',
    text: 'Nothing was decided. Load the page again, or try later.',
  },
};

export type Texts = typeof EN;
