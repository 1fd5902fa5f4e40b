import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  Agent,
  type AgentOutputItem,
  MCPServerStreamableHttp,
  type Model,
  Runner,
  setTracingDisabled,
  Usage,
} from '@openai/agents';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { openEarlierClient, openModernClient } from '../test/support/agent-clients.ts';
import { type AgentStage, NOTES, startAgentStage } from '../test/support/agent-stage.ts';
import { callApi } from '../test/support/gateway.ts';

const BIN = join(import.meta.dirname, 'node_modules/.bin');
const TOOLS = ['list_connections', 'connect', 'find_operations', 'read', 'write'];
const NOTE = { provider: NOTES, method: 'POST', path: '/notes', body: { title: 'From an agent' } };

let stage: AgentStage;
/** A token of the user's for an agent, which may read, and write what the user approves. */
let token: string;
beforeAll(async () => {
  stage = await startAgentStage();
  const access = { type: 'gateway_access', provider: NOTES };
  token = stage.project.userToken('mia', {
    claims: {
      authorization_details: [
        { ...access, access: 'read' },
        { ...access, access: 'write', approval: 'each' },
      ],
    },
  });
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.seen.length = 0;
  stage.answerWith({ body: '{"notes":[{"id":7,"title":"Milk"}]}' });
});

const authorization = () => ({ Authorization: `Bearer ${token}` });

/** What a person does with the approval that an answer of a tool names. */
async function approve(answer: unknown): Promise<void> {
  const [, id = ''] = /approvalId\\*":\\*"([0-9a-f-]{36})/.exec(JSON.stringify(answer)) ?? [];
  const { status } = await callApi(stage.gateway.url, 'POST', `/v1/approvals/${id}/approve`, {
    bearer: stage.project.apiKey,
  });
  expect(status).toBe(200);
}

describe.each([
  ['@modelcontextprotocol/client 2.x', openModernClient],
  ['@modelcontextprotocol/sdk 1.x', openEarlierClient],
])('%s', (_name, openClient) => {
  it('lists the tools, reads, and sends a write once it is approved', async () => {
    const client = await stage.open({ token, name: _name }, openClient);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(JSON.stringify(await client.callTool('read', { provider: NOTES, path: '/notes' }))).toContain(
      'Milk',
    );
    await approve(await client.callTool('write', NOTE));
    expect((await client.callTool('write', NOTE)).isError).toBeUndefined();
    expect(stage.seen.map(({ line }) => line)).toEqual(['GET /notes', 'POST /notes']);
  });
});

describe('the Inspector’s command line', () => {
  const run = async (...given: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(BIN, 'mcp-inspector'),
        ...['--cli', stage.address, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
        ...given,
      ],
      { timeout: 120_000 },
    );
    return stdout;
  };

  it('lists the tools, finds the card of one of them, and calls another', async () => {
    const listed: { tools: { name: string }[] } = JSON.parse(await run('--method', 'tools/list'));
    expect(listed.tools.map(({ name }) => name)).toEqual(TOOLS);
    const read = await run(
      '--method',
      'tools/call',
      '--tool-name',
      'read',
      '--tool-arg',
      `provider=${NOTES}`,
      'path=/notes',
    );
    expect(read).toContain('Milk');
    const card = await run('--method', 'tools/call', '--tool-name', 'connect', '--app-info');
    expect(card).toContain('ui://integration-gateway/connect');
  });
});

describe('mcp-remote', () => {
  it('lets a client that knows only programs of its own machine call the door', async () => {
    const client = new Client({ name: 'local-only', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [
          join(BIN, 'mcp-remote'),
          stage.address,
          ...['--transport', 'http-only', '--allow-http', '--header', `Authorization: Bearer ${token}`],
        ],
        stderr: 'ignore',
      }),
    );
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
      const answer = await client.callTool({ name: 'read', arguments: { provider: NOTES, path: '/notes' } });
      expect(JSON.stringify(answer)).toContain('Milk');
    } finally {
      await client.close();
    }
  });
});

describe('the AI SDK', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };

  it('runs its loop of tools with a model that reads, asks for a write, and repeats it', async () => {
    const client = await createMCPClient({
      transport: { type: 'http', url: stage.address, headers: authorization() },
    });
    const calls = [
      ['read', { provider: NOTES, path: '/notes' }],
      ['write', NOTE],
      ['write', NOTE],
    ] as const;
    let step = 0;
    const model = new MockLanguageModelV4({
      async doGenerate({ prompt }) {
        // The person approves between the second call and its repeat.
        if (step === 2) await approve(prompt.at(-1));
        const next = calls[step];
        step += 1;
        if (next === undefined)
          return {
            content: [{ type: 'text', text: 'Done.' }],
            finishReason: { unified: 'stop', raw: undefined },
            ...{ usage, warnings: [] },
          };
        const [toolName, input] = next;
        return {
          content: [
            { type: 'tool-call', toolCallId: `call-${step}`, toolName, input: JSON.stringify(input) },
          ],
          finishReason: { unified: 'tool-calls', raw: undefined },
          ...{ usage, warnings: [] },
        };
      },
    });
    try {
      const tools = await client.tools();
      const { text, steps } = await generateText({
        model,
        tools,
        prompt: 'Write a note.',
        stopWhen: stepCountIs(6),
      });
      expect(text).toBe('Done.');
      expect(JSON.stringify(steps[0])).toContain('Milk');
      expect(JSON.stringify(steps[1])).toContain('approval_required');
      expect(stage.seen.map(({ line, body }) => `${line} ${body}`.trim())).toEqual([
        'GET /notes',
        `POST /notes ${JSON.stringify(NOTE.body)}`,
      ]);
    } finally {
      await client.close();
    }
  });
});

describe('the OpenAI Agents SDK', () => {
  const callOf = (name: string, input: object): AgentOutputItem => ({
    ...{ type: 'function_call', callId: crypto.randomUUID(), status: 'completed' },
    name,
    arguments: JSON.stringify(input),
  });

  it('runs an agent whose model reads and is refused what its token may not do', async () => {
    setTracingDisabled(true);
    const server = new MCPServerStreamableHttp({
      ...{ name: 'gateway', url: stage.address, requestInit: { headers: authorization() } },
    });
    const outputs: AgentOutputItem[][] = [
      [callOf('read', { provider: NOTES, path: '/notes' })],
      [callOf('read', { provider: 'other', path: '/x' })],
      [
        {
          ...{ type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'Done.' }],
        },
      ],
    ];
    const seen: string[] = [];
    const model: Model = {
      async getResponse({ input }) {
        seen.push(JSON.stringify(input));
        return { usage: new Usage(), output: outputs.shift() ?? [] };
      },
      getStreamedResponse() {
        throw new Error('nothing is streamed here');
      },
    };
    await server.connect();
    try {
      const agent = new Agent({ name: 'Notes', instructions: 'Use the tools.', model, mcpServers: [server] });
      const result = await new Runner({ tracingDisabled: true }).run(agent, 'Which notes are there?');
      expect(result.finalOutput).toBe('Done.');
      expect(seen[1]).toContain('Milk');
      expect(seen[2]).toContain('provider_unknown');
      expect(stage.seen.map(({ line }) => line)).toEqual(['GET /notes']);
    } finally {
      await server.close();
    }
  });
});
