import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  UnauthorizedError as ModernUnauthorized,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as EarlierUnauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ToolAnswer } from './agent-clients.ts';

const INFO = { name: 'unknown-client', version: '1.0.0' };
const REDIRECT = 'http://127.0.0.1:33418/callback';

type Place = { readonly redirectUri?: string };

type Tokens = { access_token: string; token_type: string; refresh_token?: string | undefined };
type Information = { client_id: string };

/** What the official clients ask of a program that signs in: it remembers everything, and hands the address to `open`. */
function createMemory(clientId: string | undefined, redirectUri: string, open: (url: URL) => Promise<void>) {
  const memory: {
    tokens?: Tokens;
    verifier?: string;
    client?: Information;
    discovery?: OAuthDiscoveryState;
  } = {};
  return {
    memory,
    provider: {
      redirectUrl: redirectUri,
      // Without a document the client registers itself.
      ...(clientId !== undefined && { clientMetadataUrl: clientId }),
      clientMetadata: { client_name: 'Desk Assistant', redirect_uris: [redirectUri] },
      state: () => 'of-the-client',
      clientInformation: () => memory.client,
      saveClientInformation: (client: Information) => {
        memory.client = client;
      },
      tokens: () => memory.tokens,
      saveTokens: (tokens: Tokens) => {
        memory.tokens = tokens;
      },
      redirectToAuthorization: open,
      saveCodeVerifier: (verifier: string) => {
        memory.verifier = verifier;
      },
      codeVerifier: () => memory.verifier ?? '',
      saveDiscoveryState: (discovery: OAuthDiscoveryState) => {
        memory.discovery = discovery;
      },
      discoveryState: () => memory.discovery,
    },
  };
}

export type SigningClient = {
  readonly memory: ReturnType<typeof createMemory>['memory'];
  callTool(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** What the person does in the browser; gives the address with the code, at which the program waits. */
type Browse = (url: URL) => Promise<URL>;

export type OpenSigningClient = (
  address: string,
  clientId: string | undefined,
  browse: Browse,
  place?: Place,
) => Promise<SigningClient>;

/** The official client 2.x, which is given an address and finds out the rest by itself. */
export const openModernSigningClient: OpenSigningClient = async (
  address,
  clientId,
  browse,
  { redirectUri = REDIRECT } = {},
) => {
  let callback = new URL(REDIRECT);
  const { memory, provider } = createMemory(clientId, redirectUri, async (url) => {
    callback = await browse(url);
  });
  const create = () => new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport = new ModernTransport(new URL(address), { authProvider: provider });
  const refused = await create()
    .connect(transport)
    .catch((error: unknown) => error);
  if (!(refused instanceof ModernUnauthorized))
    throw new Error('was not asked to sign in', { cause: refused });
  await transport.finishAuth(callback.searchParams);
  const client = create();
  await client.connect(new ModernTransport(new URL(address), { authProvider: provider }));
  return {
    memory,
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  };
};

/** The official client 1.x. */
export const openEarlierSigningClient: OpenSigningClient = async (
  address,
  clientId,
  browse,
  { redirectUri = REDIRECT } = {},
) => {
  let callback = new URL(REDIRECT);
  const { memory, provider } = createMemory(clientId, redirectUri, async (url) => {
    callback = await browse(url);
  });
  const transport = new EarlierTransport(new URL(address), { authProvider: provider });
  const refused = await new EarlierClient(INFO).connect(transport).catch((error: unknown) => error);
  if (!(refused instanceof EarlierUnauthorized))
    throw new Error('was not asked to sign in', { cause: refused });
  await transport.finishAuth(callback.searchParams.get('code') ?? '');
  const client = new EarlierClient(INFO);
  await client.connect(new EarlierTransport(new URL(address), { authProvider: provider }));
  return {
    memory,
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  };
};
