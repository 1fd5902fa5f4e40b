/**
 * What the demo's agent does, step by step. A model would choose these calls by itself; they are written down here, so that
 * the demo needs no model and no key. Whatever the gateway answers is real.
 */

export type Phase =
  | 'list'
  | 'look'
  | 'connect'
  | 'code'
  | 'find'
  | 'write'
  | 'mandate'
  | 'ask'
  | 'decide'
  | 'again'
  | 'end';

export type ToolCall = { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };

/** What an answer of the gateway comes to. */
export type Answer = {
  readonly isError: boolean;
  /** `provider` or `gateway`: whose words these are. */
  readonly source: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly content: Readonly<Record<string, unknown>>;
};

/** What the agent knows from earlier answers. */
export type Memory = {
  readonly provider: string;
  readonly contact?: { readonly id: string; readonly name: string } | undefined;
  readonly connectUrl?: string | undefined;
  readonly approvalId?: string | undefined;
};

type Step = {
  /** What the agent says before it calls. */
  readonly say: (memory: Memory) => string;
  /** On the button that has it go on. */
  readonly button: string;
  /** What the person reads beside the button. */
  readonly hint: string;
  /** Undefined: the person does something, and no tool is called. */
  readonly call?: (memory: Memory, code: string) => ToolCall;
};

const CONTACTS = '/crm/v3/objects/contacts';
const PROPERTIES = 'firstname,lastname,jobtitle';

/** The same object each time: an approved call is sent byte for byte. */
const change = ({ provider, contact }: Memory): ToolCall => ({
  name: 'write',
  arguments: {
    provider,
    method: 'PATCH',
    path: `${CONTACTS}/${contact?.id ?? '1'}`,
    body: { properties: { jobtitle: 'Head of Agents' } },
  },
});

const nameOf = ({ contact }: Memory) => contact?.name ?? 'the first contact';

const STEPS: Readonly<Record<Exclude<Phase, 'end'>, Step>> = {
  list: {
    say: () => 'First I look at which accounts I may use.',
    button: 'Start the agent',
    hint: 'It has a token of yours that may only read.',
    call: () => ({ name: 'list_connections', arguments: {} }),
  },
  look: {
    say: () => 'I read some contacts from the CRM.',
    button: 'Have it read contacts',
    hint: 'The call goes to the CRM’s own API, with your account, which the agent never holds.',
    call: ({ provider }) => ({
      name: 'read',
      arguments: {
        provider,
        path: CONTACTS,
        query: `limit=3&properties=${PROPERTIES}`,
        fields: ['$.results[*].id', '$.results[*].properties'],
      },
    }),
  },
  connect: {
    say: () => 'No account is connected, so I ask for one.',
    button: 'Have it ask for the account',
    hint: 'The gateway makes a page on which you agree, or do not.',
    call: ({ provider }) => ({ name: 'connect', arguments: { provider } }),
  },
  code: {
    say: () => 'I give the gateway the code that you brought back.',
    button: 'Give the agent the code',
    hint: 'Open the page, connect, and copy the code of its last page. It counts only with a token of yours.',
    call: ({ provider }, completionCode) => ({ name: 'connect', arguments: { provider, completionCode } }),
  },
  find: {
    say: () => 'I look for what I can do with contacts.',
    button: 'Have it look for an operation',
    hint: 'The gateway searches what the CRM publishes of its API, and shows what the token has room for: reading.',
    call: ({ provider }) => ({
      name: 'find_operations',
      arguments: { query: 'update a contact', provider },
    }),
  },
  write: {
    say: (memory) => `I know this API, so I change the job title of ${nameOf(memory)} all the same.`,
    button: 'Have it change a contact',
    hint: 'Its token may only read. See what becomes of it.',
    call: change,
  },
  mandate: {
    say: () => 'You let me change contacts from now on, each change with your approval.',
    button: 'Let it change contacts, with my approval',
    hint: 'The application signs another token, with a second entry in its mandate.',
  },
  ask: {
    say: (memory) => `I try the change of ${nameOf(memory)} once more.`,
    button: 'Have it try again',
    hint: 'Now its mandate allows the call, if you approve it first.',
    call: change,
  },
  decide: {
    say: () => 'I make the same call again.',
    button: 'Have it make the same call again',
    hint: 'Look at the exact call on the gateway’s page, and approve or refuse it there.',
    call: change,
  },
  again: {
    say: () => 'I make the same call a second time.',
    button: 'Have it send the change twice',
    hint: 'What you approved has been sent. Once.',
    call: change,
  },
};

export function describeStep(phase: Exclude<Phase, 'end'>): Step {
  return STEPS[phase];
}

/** Where the agent is after an answer. */
export function nextPhase(phase: Exclude<Phase, 'end'>, answer: Answer | undefined): Phase {
  const code = answer?.code;
  switch (phase) {
    case 'list':
      return 'look';
    case 'look':
      return code === 'connection_needed' ? 'connect' : isSent(answer) ? 'find' : 'look';
    case 'connect':
      return 'code';
    case 'code':
      return answer?.content.isConnected === true ? 'look' : 'code';
    case 'find':
      return 'write';
    case 'write':
      return 'mandate';
    case 'mandate':
      return 'ask';
    case 'ask':
      return code === 'approval_required' ? 'decide' : 'ask';
    case 'decide':
      return isSent(answer) ? 'again' : code === 'approval_rejected' ? 'end' : 'decide';
    case 'again':
      return 'end';
  }
}

function isSent(answer: Answer | undefined): boolean {
  return answer?.source === 'provider' && !answer.isError;
}

const READING = (provider: string) => ({ type: 'gateway_access', provider, access: 'read' });

/** What the agent's token may do: read, and later change contacts when its user approves each change. */
export function writeMandate(phase: Phase, provider: string): readonly object[] {
  const isWider = ['ask', 'decide', 'again', 'end'].includes(phase);
  const changing = {
    ...READING(provider),
    access: 'write',
    methods: ['PATCH'],
    paths: [`${CONTACTS}/*`],
    approval: 'each',
  };
  return isWider ? [READING(provider), changing] : [READING(provider)];
}
