import type { ApiDocument, Operation } from './api-document.ts';
import { describeType, escapeWords, memberTable, slugOfHeading } from './api-schemas.ts';
import { code, join, section, table } from './markdown.ts';
import type { SitePage } from './rewrite-page.ts';

type Described = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The reference of the management API: an index, a page for each tag, and one of all named shapes. */
export function makeApiPages(document: ApiDocument): SitePage[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }));
  return [
    makeIndex(document, tags),
    ...tags.map((tag) => ({
      slug: `api/${slugOfHeading(tag.name)}`,
      title: `API: ${tag.name}`,
      description: `${tag.description} ${tag.operations.length} operations of the management API.`,
      body: join(escapeWords(tag.description), ...tag.operations.map(describeOperation)),
      headingLevels: 2 as const,
    })),
    makeSchemas(document),
  ];
}

/** Titles and addresses for the side bar. */
export function listApiPages(document: ApiDocument): { readonly label: string; readonly slug: string }[] {
  return [
    { label: 'How it works', slug: 'api' },
    ...document.tags.map(({ name }) => ({ label: name, slug: `api/${slugOfHeading(name)}` })),
    { label: 'All shapes', slug: 'api/schemas' },
  ];
}

function makeIndex(
  document: ApiDocument,
  tags: readonly { name: string; description: string; operations: readonly Described[] }[],
): SitePage {
  const schemes = Object.entries(document.components.securitySchemes).map(
    ([name, { description = '' }]) => `### ${name}\n\n${description.replaceAll('<', '\\<')}`,
  );
  const groups = tags.map(({ name, description, operations }) => {
    const rows = operations.map(({ method, path, operation }) => [
      code(`${method} /v1${path}`),
      `[${escapeWords(operation.summary)}](/docs/api/${slugOfHeading(name)}#${slugOfHeading(operation.summary)})`,
    ]);
    return section(`### ${name}`, escapeWords(description), table(['operation', ''], rows));
  });
  return {
    slug: 'api',
    title: 'API reference',
    description:
      'Every operation of the management API: who may call it, what it takes, what it answers, with an example.',
    headingLevels: 3,
    body: join(
      document.info.description.replaceAll('<', '\\<'),
      '[Try the operations](/docs/try) of the gateway that serves this page, or take its [OpenAPI document](/openapi.json). Every refusal has a code of [the error table](/docs/error-codes).',
      section('## Who calls', ...schemes),
      section('## Operations', ...groups),
    ),
  };
}

function describeOperation({ method, path, operation }: Described): string {
  const { summary, description, deprecated, parameters, requestBody, responses } = operation;
  const body = requestBody?.content?.['application/json'];
  const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const refusals = Object.entries(responses).filter(([status]) => !/^[23]/.test(status));
  return join(
    `## ${escapeWords(summary)}`,
    `${code(`${method} /v1${path}`)}${deprecated ? ' **deprecated**' : ''}`,
    description.replaceAll('<', '\\<'),
    parameters.length > 0 &&
      table(
        ['parameter', 'in', 'type', 'required', 'about'],
        parameters.map(({ name, in: place, schema, required, description: about = '' }) => [
          code(name),
          place,
          describeType(schema),
          required ? 'yes' : '',
          escapeWords(about),
        ]),
      ),
    body?.schema !== undefined &&
      join(
        '**Body**',
        body.schema.$ref === undefined ? memberTable(body.schema, 'required') : describeType(body.schema),
      ),
    `\`\`\`sh title="Example"\n${makeExample(method, path, operation, body?.example)}\n\`\`\``,
    table(
      ['answer', '', 'shape'],
      answers.map(([status, { description: about, content }]) => [
        code(status),
        escapeWords(about),
        Object.values(content ?? {})
          .map(({ schema }) => describeType(schema))
          .join(' or '),
      ]),
    ),
    refusals.length > 0 && `Refusals: ${refusals.map(listCodes).filter(Boolean).join('; ')}.`,
  );
}

/** The codes stand at the beginning of each paragraph of the answer's description. */
function listCodes([status, { description }]: [string, { description: string }]): string {
  const codes = [...description.matchAll(/^`([a-z_]+)`:/gm)].map(([, found = '']) => found);
  if (codes.length === 0) return '';
  return `${status} ${codes.map((one) => `[\`${one}\`](/docs/errors#${one})`).join(', ')}`;
}

const TOKENS: readonly (readonly [scheme: string, variable: string])[] = [
  ['apiKey', '$KEY'],
  ['operatorToken', '$OPERATOR_TOKEN'],
  ['userToken', '$TOKEN'],
];

function makeExample(
  method: string,
  path: string,
  { security, parameters }: Operation,
  example: unknown,
): string {
  const variable = TOKENS.find(([scheme]) => security.some((one) => scheme in one))?.[1];
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required === true)
    .map(({ name, example: value }) => `${name}=${encodeURIComponent(String(value ?? '…'))}`)
    .join('&');
  const address = `"$GATEWAY/v1${path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (name === 'projectId' ? '$PROJECT' : `<${name}>`))}${query === '' ? '' : `?${query}`}"`;
  const verb = method === 'GET' || (method === 'POST' && example !== undefined) ? '' : `-X ${method} `;
  const lines = [
    `curl -s ${verb}${address}`,
    ...(variable === undefined ? [] : [`-H "Authorization: Bearer ${variable}"`]),
    ...(example === undefined
      ? []
      : [
          `-H 'Content-Type: application/json' -d '${JSON.stringify(example, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

function makeSchemas({ components }: ApiDocument): SitePage {
  const sections = Object.entries(components.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const members = memberTable(schema, 'always there');
      return join(
        `## ${name}`,
        schema.description?.replaceAll('<', '\\<'),
        members === '' ? describeType(schema) : members,
      );
    });
  return {
    slug: 'api/schemas',
    title: 'API: all shapes',
    description: 'Every named shape of requests and answers of the management API.',
    body: join(
      'Shapes that several operations share. Leave members alone that you do not know: more may come.',
      ...sections,
    ),
    headingLevels: 2,
  };
}
