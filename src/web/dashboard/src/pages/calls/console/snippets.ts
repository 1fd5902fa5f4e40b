import { buildTarget, type ConsoleCall, hasBody, proxyBase } from './console-call.ts';
import { RECIPES } from './recipes.ts';

type Place = { readonly proxyUrl: string; readonly projectId: string };

/** The header fields of a call as code sends them, but for the credential. */
function fieldsOf(call: ConsoleCall): [name: string, value: string][] {
  const fields = call.headers.flatMap(({ name, value }): [string, string][] =>
    name === '' ? [] : [[name, value]],
  );
  const isTyped = fields.some(([name]) => name.toLowerCase() === 'content-type');
  if (isSent(call) && !isTyped) fields.push(['Content-Type', 'application/json']);
  if (call.connectionId !== '') fields.push(['Gateway-Connection', call.connectionId]);
  return fields;
}

const isSent = ({ method, body }: ConsoleCall) => hasBody(method) && body !== '';

/** The call as a command for a POSIX shell. The token stands in a variable: the operator does not copy it along. */
export function asCurl(call: ConsoleCall, { proxyUrl, projectId }: Place): string {
  const url = proxyBase(proxyUrl, projectId, call.provider) + buildTarget(call);
  const lines = [
    `curl ${call.method === 'GET' ? '' : call.method === 'HEAD' ? '--head ' : `-X ${call.method} `}${quoted(url)}`,
    `-H "Authorization: Bearer $USER_TOKEN"`,
    ...fieldsOf(call).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(isSent(call) ? [`--data-raw ${quoted(call.body)}`] : []),
  ];
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The call with the platform's own fetch. */
export function asFetch(call: ConsoleCall, { proxyUrl, projectId }: Place): string {
  const url = proxyBase(proxyUrl, projectId, call.provider) + buildTarget(call);
  const fields = fieldsOf(call).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const lines = [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(call.method === 'GET' ? [] : [`  method: ${JSON.stringify(call.method)},`]),
    '  headers: {',
    "    Authorization: 'Bearer ' + userToken,",
    ...fields,
    '  },',
    ...(isSent(call) ? [`  body: ${JSON.stringify(call.body)},`] : []),
    '});',
    'const answer = await response.json();',
  ];
  return lines.join('\n');
}

/** The provider's own client, pointed at the proxy; undefined where none is known. */
export function asOfficialClient(call: ConsoleCall, { proxyUrl, projectId }: Place) {
  const recipe = Object.hasOwn(RECIPES, call.provider) ? RECIPES[call.provider] : undefined;
  if (recipe === undefined) return undefined;
  return {
    client: recipe.client,
    code: recipe.code.replaceAll('PROXY', proxyBase(proxyUrl, projectId, call.provider)),
  };
}
