import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const infoOf = (name = 'test-agent') => ({ name, version: '1.0.0' });

/** As clients of both kinds give it. */
export type ToolAnswer = {
  readonly [member: string]: unknown;
  readonly isError?: unknown;
  readonly structuredContent?: unknown;
};

export type ResourceText = {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
  readonly _meta?: Record<string, unknown> | undefined;
};

export type AgentClient = {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  readResource(uri: string): Promise<readonly ResourceText[]>;
  close(): Promise<void>;
};

export type AgentClientOptions = {
  readonly address: string;
  readonly token: string;
  /** What the client calls itself. */
  readonly name?: string;
  readonly capabilities?: {
    readonly elicitation?: { readonly url?: Record<string, never>; readonly form?: Record<string, never> };
    readonly extensions?: Record<string, { readonly mimeTypes: string[] }>;
  };
  /** What the user does with a question of the server's; only of the client 2.x. */
  readonly onQuestion?: (question: Question) => Promise<Answer>;
};

export type Question = { readonly mode?: string | undefined; readonly url?: string | undefined };
type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

/** The official client 2.x, held to revision 2026-07-28. */
export async function openModernClient({
  address,
  token,
  name,
  capabilities = {},
  onQuestion,
}: AgentClientOptions): Promise<AgentClient> {
  const client = new ModernClient(infoOf(name), {
    capabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  if (onQuestion) client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params));
  await client.connect(new ModernTransport(new URL(address), { requestInit: bearer(token) }));
  return {
    listTools: () => client.listTools(),
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    close: () => client.close(),
  };
}

/** The official client 1.x, which speaks 2025-11-25. */
export async function openEarlierClient({
  address,
  token,
  name,
  capabilities = {},
}: AgentClientOptions): Promise<AgentClient> {
  const client = new EarlierClient(infoOf(name), { capabilities });
  await client.connect(new EarlierTransport(new URL(address), { requestInit: bearer(token) }));
  return {
    listTools: () => client.listTools(),
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    close: () => client.close(),
  };
}

function bearer(token: string): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}
