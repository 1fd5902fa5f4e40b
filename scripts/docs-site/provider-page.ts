import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import type { Source } from '../../src/catalog/schema/provider-standing.schema.ts';
import { buildProbe } from '../../src/oauth/probe.ts';
import type { CatalogProvider } from '../../src/providers/catalog.schema.ts';
import { toProviderWire } from '../../src/providers/catalog-wire.ts';
import { AUTH_WORDS } from '../generate-providers-page.ts';
import { code, escapeMarkdown, join, section, table } from './markdown.ts';
import { describeChanges } from './provider-changes.ts';
import type { SitePage } from './rewrite-page.ts';

/** Stands in the pages; a script puts the address there at which they are read. */
export const WRITTEN_ORIGIN = 'https://gateway.example.com';

const STATUS_WORDS: Readonly<Record<Provider['status'], string>> = {
  available: 'open to applications of any maker',
  unknown: 'not looked at yet whether anyone can use it',
  'partner-only': 'for partners of the provider alone',
  'sign-in-only': 'tokens identify a person and open no more',
  limited: 'new applications do not get everything',
  ended: 'ended: there is nothing to connect to any more',
};

const EVIDENCE_WORDS: Readonly<Record<NonNullable<Provider['evidence']>, string>> = {
  documentation: 'The facts were compared with the provider’s own documentation.',
  'several-sources': 'Several independent sources agree on the facts.',
  'one-source': 'Several sources agree on a part of the facts, one alone says the rest.',
  transcribed: 'The facts were transcribed from one catalog and are not confirmed.',
};

/** The page of a provider, made of its file alone. `sources` are those of the file that say what they confirm. */
export function makeProviderPage(provider: Provider, sources: readonly Source[]): SitePage {
  const wire = toProviderWire(provider, { publicUrl: WRITTEN_ORIGIN });
  const { id, name } = provider;
  const body = join(
    `<img class="provider-logo" src="/logos/${id}.svg" alt="" width="56" height="56">`,
    summarize(provider, wire),
    ...describeStanding(provider),
    section('## What you need there', describeNeeds(provider, wire)),
    section('## Set it up', listSteps(wire.setupSteps), describeAddresses(wire)),
    section('## Create the integration', describeIntegration(wire)),
    section('## Connect and call', describeCall(provider, wire)),
    section('## Scopes', describeScopes(wire)),
    section('## Addresses', describeHosts(wire)),
    describeChanges(provider),
    section('## Limits and long lists', describeLimits(wire)),
    section('## Traps', wire.notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n')),
    section('## Other ways to authenticate', ...wire.grants.slice(1).map(describeGrant)),
    section('## Evidence', describeEvidence(provider, sources)),
  );
  const description = `Connect ${name} for your users: ${AUTH_WORDS[provider.auth]}, set-up steps, scopes, addresses${provider.webhooks.supported ? ', webhooks' : ''}, limits and evidence.`;
  return { slug: `providers/${id}`, title: name, description, body, headingLevels: 2 };
}

function summarize({ id, category, auth, grants }: Provider, wire: CatalogProvider): string {
  const further = grants.map(({ title }) => escapeMarkdown(title)).join(', ');
  const rows = [
    ['id', code(id)],
    ['category', category],
    ['authentication', `${AUTH_WORDS[auth]}${further === '' ? '' : `; also ${further}`}`],
    ['API base', code(wire.apiBaseUrl)],
    ...(wire.docsUrl === null ? [] : [['documentation', link(wire.docsUrl)]]),
    ...(wire.portalUrl === null ? [] : [['where to register', link(wire.portalUrl)]]),
  ];
  return table(['', ''], rows);
}

function describeStanding({ status, statusDate, statusNote }: Provider): string[] {
  if (status === 'available') return [];
  const since = statusDate === undefined ? '' : ` (${statusDate})`;
  return [
    `**State**: ${STATUS_WORDS[status]}${since}.${statusNote === undefined ? '' : ` ${escapeMarkdown(statusNote)}`}`,
  ];
}

function describeNeeds(provider: Provider, wire: CatalogProvider): string {
  const [own] = wire.grants;
  if (own === undefined) return '';
  const described = new Map(wire.variables.map((variable) => [`variables.${variable.name}`, variable]));
  const rows = (['operatorFields', 'applicationFields', 'userFields'] as const).flatMap((kind) =>
    own[kind].map(({ name, title, required, secret }) => {
      const variable = described.get(name);
      const about = [variable?.description ?? '', variable?.example ? `such as ${variable.example}` : '']
        .filter((part) => part !== '')
        .join('; ');
      const marks = [required ? 'required' : 'optional', ...(secret ? ['secret'] : [])].join(', ');
      return [code(name), WHO[kind], marks, escapeMarkdown([title ?? '', about].filter(Boolean).join(': '))];
    }),
  );
  const hint =
    wire.credentialHint === null
      ? ''
      : `Users read beside the form: “${escapeMarkdown(wire.credentialHint)}”`;
  const tenants =
    wire.tenants === null
      ? ''
      : `One authorization may reach several ${wire.tenants.kind}s${wire.tenants.asked ? ', and the connect page asks which one' : ''}.`;
  const proof =
    buildProbe(provider) === undefined
      ? provider.noProbe === undefined
        ? ''
        : `A credential cannot be proved when it is entered: ${escapeMarkdown(provider.noProbe)}`
      : 'A credential is proved by a call of the provider before it is stored, and again by **Test** on the connection’s page.';
  return join(table(['field', 'who gives it', 'needed', 'about'], rows), hint, tenants, proof);
}

const WHO = {
  operatorFields: 'you, in the integration',
  applicationFields: 'your application, for each connection',
  userFields: 'each user, when connecting',
} as const;

/** Within the quotes of an attribute. */
function nameIn({ name }: CatalogProvider): string {
  return name.replaceAll('"', '');
}

function listSteps(steps: readonly string[]): string {
  return steps.map((step, index) => `${index + 1}. ${markAddresses(step)}`).join('\n');
}

/** Addresses of this gateway as code, so that they can be copied; the rest is text. */
function markAddresses(step: string): string {
  return step
    .split(/(https:\/\/gateway\.example\.com\/[^\s,;)]*(?: id>)?)/)
    .map((part, index) =>
      index % 2 === 1 ? code(part.replace(/\.$/, '')) : escapeMarkdownKeepingEdges(part),
    )
    .join('');
}

function escapeMarkdownKeepingEdges(text: string): string {
  return text.replace(/[\\|*_<>[\]{}`#~]/g, '\\$&');
}

function describeAddresses(wire: CatalogProvider): string {
  if (wire.redirectUrl === null)
    return wire.setupSteps.length > 0 ? '' : 'No application has to be registered there.';
  return `Redirect URL to register: ${code(wire.redirectUrl)}`;
}

function describeIntegration(wire: CatalogProvider): string {
  const [own] = wire.grants;
  const fields = (own?.operatorFields ?? []).filter(({ required }) => required);
  const body: Record<string, unknown> = { serviceProvider: wire.id };
  const variables: Record<string, string> = {};
  for (const { name } of fields) {
    if (name.startsWith('variables.')) variables[name.slice('variables.'.length)] = '…';
    // The API takes a list, also an empty one.
    else body[name] = name === 'scopes' ? wire.scopes.defaults : '…';
  }
  if (Object.keys(variables).length > 0) body.variables = variables;
  if (wire.scopes.defaults.length > 0) body.scopes = wire.scopes.defaults;
  return join(
    'In the dashboard: **Integrations, New integration**. By API:',
    `\`\`\`sh no-run="needs an account at ${nameIn(wire)}"\ncurl -s $GATEWAY/v1/integrations -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'\n\`\`\``,
  );
}

function describeCall({ id }: Provider, wire: CatalogProvider): string {
  const path = wire.mcp?.path ?? wire.accountCall?.path ?? '/…';
  const method = wire.accountCall?.method === 'POST' && wire.mcp === null ? '-X POST ' : '';
  return join(
    'A user connects by `gateway.connect()` of [the browser SDK](/docs/sdk), or by a link that your backend makes:',
    `\`\`\`sh no-run="needs an account at ${nameIn(wire)}"\ncurl -s $GATEWAY/v1/connect-sessions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{ "provider": "${id}", "userId": "user-1", "completion": "link" }'\n\`\`\``,
    `Then any path of its API goes through [the proxy](/docs/proxy) with the user’s token${wire.accountCall === null ? '' : '; this one shows whose account it is'}:`,
    `\`\`\`sh no-run="needs an account at ${nameIn(wire)}"\ncurl -s ${method}"$GATEWAY/projects/$PROJECT/proxy/${id}${path}" -H "Authorization: Bearer $TOKEN"\n\`\`\``,
  );
}

function describeScopes({ scopes }: CatalogProvider): string {
  const names = [...new Set([...scopes.defaults, ...Object.keys(scopes.descriptions)])];
  const rows = names.map((name) => [
    code(name),
    scopes.defaults.includes(name) ? 'yes' : '',
    escapeMarkdown(scopes.descriptions[name] ?? ''),
  ]);
  const optional = scopes.supportsOptional ? 'The provider tells required scopes from optional ones.' : '';
  return join(table(['scope', 'asked for by default', 'about'], rows), optional);
}

function describeHosts(wire: CatalogProvider): string {
  const rows = [
    ['API base', code(wire.apiBaseUrl), `${wire.id}/…`],
    ...wire.hosts.map(({ name, url, serves }) => [escapeMarkdown(serves), code(url), `${wire.id}~${name}/…`]),
    ...(wire.authorizationUrl === null ? [] : [['authorization', code(wire.authorizationUrl), '']]),
    ...(wire.tokenUrl === null ? [] : [['token', code(wire.tokenUrl), '']]),
    ...(wire.mcp === null ? [] : [['MCP server', code(wire.mcp.url), `${wire.id}${wire.mcp.path}`]]),
  ].map(([what = '', url = '', path = '']) => [what, url, path === '' ? '' : code(path)]);
  const pkce =
    wire.authorizationUrl === null
      ? ''
      : `PKCE: ${wire.pkce ? 'sent (S256)' : 'not sent, since the provider refuses it'}.`;
  const ends = wire.supportsRevocation
    ? 'Deleting a connection revokes its grant at the provider.'
    : 'The provider has no address to revoke a grant at: deleting a connection erases it here alone.';
  return join(table(['what', 'address', 'as a proxy path'], rows), [pkce, ends].filter(Boolean).join(' '));
}

function describeLimits({ rateLimit, retry, paging }: CatalogProvider): string {
  const named = [rateLimit?.limit, rateLimit?.remaining, rateLimit?.reset, rateLimit?.combined].filter(
    (field) => field !== undefined,
  );
  const lines = [
    ...(rateLimit === null
      ? []
      : [
          `- The allowance is that of ${rateLimit.of === 'connection' ? 'each connection' : 'the application, which all its connections share'}${named.length > 0 ? `; answers name it in ${named.map(code).join(', ')}` : ''}.`,
          `- ${rateLimit.statuses.join(' or ')} means “later”.`,
        ]),
    ...(retry === null || retry.statuses.length === 0
      ? []
      : [`- ${retry.statuses.join(' and ')} may mean “later” too.`]),
    ...(retry === null || [...retry.after, ...retry.at].length === 0
      ? []
      : [`- How long to wait: ${[...retry.after, ...retry.at].map(code).join(', ')}.`]),
    ...(paging === null ? [] : [`- Long lists: ${describePaging(paging)}`]),
  ];
  return lines.join('\n');
}

function describePaging({
  style,
  next,
  parameter,
  limitParameter,
  items,
}: NonNullable<CatalogProvider['paging']>): string {
  const parts = [
    ...(style === undefined ? [] : [`by ${style === 'none' ? 'no pages at all' : style}`]),
    ...(next === undefined ? [] : [`the next page from ${code(next)}`]),
    ...(parameter === undefined ? [] : [`asked for by ${code(parameter)}`]),
    ...(limitParameter === undefined ? [] : [`page size by ${code(limitParameter)}`]),
    ...(items === undefined ? [] : [`records in ${code(items)}`]),
  ];
  return parts.length === 0 ? 'addresses in answers lead back through the proxy.' : `${parts.join(', ')}.`;
}

function describeGrant(grant: CatalogProvider['grants'][number]): string {
  const fields = [...grant.operatorFields, ...grant.applicationFields, ...grant.userFields].map(({ name }) =>
    code(name),
  );
  return join(
    `### ${escapeMarkdown(grant.title ?? grant.id)}`,
    `${grant.purpose === null ? '' : `${escapeMarkdown(grant.purpose)} `}An integration names it by \`"grant": "${grant.id}"\` (${AUTH_WORDS[grant.auth]}).${fields.length > 0 ? ` Fields: ${fields.join(', ')}.` : ''}`,
    listSteps(grant.setupSteps),
  );
}

function describeEvidence({ id, evidence, checked }: Provider, sources: readonly Source[]): string {
  const vendor = sources.filter(({ by }) => by === 'vendor');
  const rows = vendor.map(({ from, says, date }) => [
    from.startsWith('https:') ? link(from) : code(from),
    says.join(', '),
    date,
  ]);
  const others = sources.length - vendor.length;
  return join(
    evidence === undefined ? 'How far the facts are confirmed is not known.' : EVIDENCE_WORDS[evidence],
    table(['the provider’s own word', 'says', 'read on'], rows),
    others > 0 && `${others} further ${others === 1 ? 'source says' : 'sources say'} the same in part.`,
    checked !== undefined && `Last compared on ${checked}.`,
    `We have not tried it at the live provider. What is said here is made from \`src/catalog/providers/${id}.yaml\`, whose whole life runs in a test against a fake made from the same file.`,
  );
}

function link(url: string): string {
  return `<${url.replaceAll('|', '%7C').replaceAll(' ', '%20')}>`;
}
