import type { Provider } from '../../api/catalog.ts';
import { findExampleCall } from '../../ui/example-call.ts';

/** Where an application calls the provider's API. */
export function buildProxyBase(proxyUrl: string, projectId: string, provider: string): string {
  return `${proxyUrl}/projects/${projectId}/proxy/${provider}`;
}

export type SampleTarget = {
  readonly provider: Provider;
  readonly projectId: string;
  /** The gateway's PUBLIC_URL. */
  readonly publicUrl: string;
  readonly proxyUrl: string;
};

const EXAMPLE_PATH = '/path/of/the/api';

function pathOf(provider: Provider): string {
  return findExampleCall(provider)?.path ?? EXAMPLE_PATH;
}

function methodOf(provider: Provider): string {
  return findExampleCall(provider)?.method ?? 'GET';
}

/** One call by `curl`, with the user's token in a variable of the shell. */
export function curlSample({ provider, projectId, proxyUrl }: SampleTarget): string {
  const method = methodOf(provider) === 'GET' ? '' : ` -X ${methodOf(provider)}`;
  return `curl${method} "${buildProxyBase(proxyUrl, projectId, provider.id)}${pathOf(provider)}" \\
  -H "Authorization: Bearer $USER_TOKEN"`;
}

/** Connect and call from a page, by the browser SDK. */
export function browserSample({ provider, projectId, publicUrl }: SampleTarget): string {
  const options = methodOf(provider) === 'GET' ? '' : `, { method: '${methodOf(provider)}' }`;
  return `import { createGateway } from '${publicUrl}/sdk/connect.js';

const gateway = createGateway({
  url: '${publicUrl}',
  projectId: '${projectId}',
  token: async () => (await fetch('/token')).text(), // from your backend: a JWT of the signed-in user
});

// Straight from a click:
await gateway.connect('${provider.id}');

const response = await gateway.fetch('${provider.id}', '${pathOf(provider)}'${options});
console.log(await response.json());`;
}

/** A call from a backend in Node, with a token for the user. */
export function nodeSample({ provider, projectId, publicUrl, proxyUrl }: SampleTarget): string {
  const method = methodOf(provider) === 'GET' ? '' : `\n  method: '${methodOf(provider)}',`;
  return `import { createGatewayClient } from '@integration-gateway/node';

const gateway = createGatewayClient({ url: '${publicUrl}', apiKey: process.env.GATEWAY_API_KEY });
const { token } = await gateway.userTokens.create({ userId: 'user-1' });

const response = await fetch('${buildProxyBase(proxyUrl, projectId, provider.id)}${pathOf(provider)}', {${method}
  headers: { authorization: \`Bearer \${token}\` },
});
console.log(await response.json());`;
}

const GRAPH = 'https://graph.microsoft.com';

type OfficialClient = { readonly name: string; readonly code: string };

/**
 * How the provider's own client is pointed at the proxy, out of docs/clients.md, whose code the tests of the clients
 * run. Undefined where it has none of this provider or of another one with the same API.
 */
export function officialSample(page: string, target: SampleTarget): OfficialClient | undefined {
  const { provider, projectId, proxyUrl } = target;
  const blocks = readBlocks(page);
  const used = blocks.filter(({ code }) => code.includes("proxy('") && code.includes('import'));
  const own = used.find(({ code }) => code.includes(`proxy('${provider.id}')`));
  // One client for all of Microsoft's products on Graph.
  const isGraph = provider.apiBaseUrl.startsWith(GRAPH);
  const alike = own ?? (isGraph ? used.find(({ code }) => code.includes(GRAPH)) : undefined);
  if (alike === undefined) return undefined;
  const helper = alike.code.includes('gatewayFetch(') ? `\n\n${helperOf(blocks)}` : '';
  const code = alike.code.replace(/proxy\('[^']+'\)/g, `proxy('${provider.id}')`).trim();
  const base = `${proxyUrl}/projects/${projectId}/proxy`;
  const proxy = `const proxy = (provider) => \`${base}/\${provider}\`;`;
  const [imports, rest] = splitImports(code);
  return { name: alike.name, code: `${imports}\n\n${proxy}${helper}\n\n${rest}`.trim() };
}

/** Every piece of JavaScript in the page, with the heading above it. */
function readBlocks(page: string): OfficialClient[] {
  return page.split('\n## ').flatMap((section) => {
    const name = section.slice(0, section.indexOf('\n'));
    const [, ...pieces] = section.split('```js\n');
    return pieces.map((piece) => ({ name, code: piece.slice(0, piece.indexOf('\n```')) }));
  });
}

/** The fetch that clients without a setting for the address are given. */
function helperOf(blocks: readonly OfficialClient[]): string {
  const found = blocks.find(({ code }) => /(?:const|function) gatewayFetch\b/.test(code));
  return found?.code.replace('export function', 'function').trim() ?? '';
}

function splitImports(code: string): [imports: string, rest: string] {
  const lines = code.split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('import '));
  return [
    lines.slice(0, last + 1).join('\n'),
    lines
      .slice(last + 1)
      .join('\n')
      .trim(),
  ];
}
