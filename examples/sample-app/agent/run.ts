import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  type Answer,
  describeStep,
  type Memory,
  nextPhase,
  type Phase,
  type ToolCall,
  writeMandate,
} from './script.ts';

export type AgentOptions = {
  readonly gatewayUrl: string;
  readonly projectId: string;
  readonly provider: string;
  /** Signs a token of the user that may do what the entries say, and names the agent. */
  readonly signAgentToken: (userId: string, entries: readonly object[]) => string;
};

/** One step as the page shows it. */
export type ShownStep = {
  readonly say: string;
  readonly call: ToolCall | undefined;
  readonly answer: Answer | undefined;
};

export type AgentRun = ReturnType<typeof createAgentRun>;

const SEARCHES_MAX = 40;
const SEARCH_PAUSE_MS = 250;

/** The agent of one user, which goes one step whenever its user has it go on. */
export function createAgentRun(options: AgentOptions, userId: string) {
  const { provider } = options;
  const steps: ShownStep[] = [];
  let phase: Phase = 'list';
  let memory: Memory = { provider };
  let isBusy = false;

  /** By the official client, with a token that is signed for this call. */
  async function callTool(call: ToolCall): Promise<Answer> {
    const client = new Client({ name: 'demo-agent', title: 'Demo agent', version: '1.0.0' });
    const address = new URL(`${options.gatewayUrl}/projects/${options.projectId}/mcp`);
    const token = options.signAgentToken(userId, writeMandate(phase, provider));
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    try {
      return readAnswer(await client.callTool({ name: call.name, arguments: { ...call.arguments } }));
    } finally {
      await client.close();
    }
  }

  /** Documents are fetched when they are first searched: the gateway says that it is at it. */
  async function callUntilThere(call: ToolCall): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await callTool(call);
      const isLoading = typeof answer.content.note === 'string' && answer.content.note.includes('fetched');
      if (!isLoading || tries === SEARCHES_MAX) return answer;
      await new Promise((resolve) => setTimeout(resolve, SEARCH_PAUSE_MS));
    }
  }

  async function go(code: string): Promise<void> {
    if (phase === 'end') return;
    const step = describeStep(phase);
    const call = step.call?.(memory, code);
    const answer = call && (await callUntilThere(call));
    steps.push({ say: step.say(memory), call, answer });
    memory = { ...memory, ...learn(answer) };
    phase = nextPhase(phase, answer);
  }

  return {
    /** One step at a time. False where one is under way. */
    async step(code: string): Promise<boolean> {
      if (isBusy) return false;
      isBusy = true;
      try {
        await go(code);
        return true;
      } finally {
        isBusy = false;
      }
    },
    show: () => ({
      steps,
      mandate: writeMandate(phase, provider),
      phase,
      ...(phase !== 'end' && { button: describeStep(phase).button, hint: describeStep(phase).hint }),
      ...(phase === 'code' && { connectUrl: memory.connectUrl }),
      ...(phase === 'decide' && { approvalId: memory.approvalId }),
    }),
  };
}

function readAnswer(result: { isError?: unknown; structuredContent?: unknown }): Answer {
  const content = toRecord(result.structuredContent);
  return {
    isError: result.isError === true,
    source: textOf(content.source),
    status: typeof content.status === 'number' ? content.status : undefined,
    code: textOf(content.code),
    content,
  };
}

function learn(answer: Answer | undefined): Partial<Memory> {
  const { connectUrl, approvalId, body } = answer?.content ?? {};
  const [first] = toList(toRecord(body).results);
  const { id, properties } = toRecord(first);
  const { firstname, lastname } = toRecord(properties);
  return {
    ...(typeof connectUrl === 'string' && { connectUrl }),
    ...(typeof approvalId === 'string' && { approvalId }),
    ...(typeof id === 'string' && { contact: { id, name: `${firstname} ${lastname}` } }),
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
