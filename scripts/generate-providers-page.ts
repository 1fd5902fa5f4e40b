import { credentialFields } from '../src/catalog/facts/asked-fields.ts';
import { findIcon, type Logos } from '../src/catalog/loading/logos.ts';
import {
  AUTH_KINDS,
  CATEGORIES,
  type Provider,
  type ProviderVariable,
} from '../src/catalog/schema/provider.schema.ts';
import { EVIDENCE, STATUSES } from '../src/catalog/schema/provider-standing.schema.ts';
import { buildProbe } from '../src/oauth/probe.ts';
import { COVERAGE } from './coverage.ts';
import { findHostFact } from './host-facts.ts';
import { LEFT_OUT } from './left-out-providers.ts';

export const AUTH_WORDS: Readonly<Record<Provider['auth'], string>> = {
  oauth2: 'OAuth 2.0',
  'oauth2-client-credentials': 'OAuth 2.0, client credentials',
  'api-key': 'API key',
  basic: 'Basic',
  'aws-sigv4': 'AWS Signature Version 4',
  oauth1: 'OAuth 1.0a',
  'jwt-per-call': 'JWT signed for each call',
  wsse: 'WSSE',
  'jwt-bearer': 'Signed JWT (RFC 7523)',
  'token-login': 'Log-in for a token',
  'github-app': 'App installation',
};

const EVIDENCE_WORDS: Readonly<Record<NonNullable<Provider['evidence']>, string>> = {
  documentation: 'compared with the provider’s documentation',
  'several-sources': 'several sources agree',
  'one-source': 'several sources agree on a part, one says the rest',
  transcribed: 'transcribed from one catalog, not confirmed',
};

const CREDENTIAL_WORDS = { apiKey: 'API key', username: 'User name', password: 'Password' } as const;

const HEAD = `# Providers

Generated from the files in [src/catalog/providers](../src/catalog/providers) by \`npm run generate\`; change those, not this. [providers.html](providers.html) is
the same list with filters.

A provider is data: one YAML file, checked at every build (\`npm run check:providers\`), and its whole life – authorizing,
exchange, account, proxied call, refresh, revocation – is played through in a test made from the file. Your own come from
files in \`CATALOG_DIR\` or through \`POST /v1/providers\`.

**Logos** (\`/logos/<id>.svg\`) come from [Simple Icons](https://simpleicons.org), whose shapes are in the public domain
(CC0). The names and logos of the providers are trademarks of their owners. They are shown to say which service is meant;
that implies no endorsement. Whoever displays them keeps to the owner's brand guidelines. Providers that the package has
no icon of, or one under a licence of its own, have a monogram.
`;

const TABLE_HEAD = `| id | name | category | auth | further grants | status | evidence | account | webhooks | steps | hosts | what is asked of the user | set by the operator | note |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|`;

/** The text of docs/providers.md. */
export function providersPage(providers: readonly Provider[], logos: Logos): string {
  const withIcon = counted(providers, (provider) => findIcon(provider, logos) !== undefined);
  const alive = providers.filter(({ status }) => status !== 'ended');
  return `${HEAD}
## How many

${alive.length} providers with ${alive.flatMap(({ grants }) => grants).length} further ways to authenticate, and ${providers.length - alive.length} that have ended; ${counted(providers, asksForAccount)} tell whose account was connected, ${counted(providers, repeatsAccount)} repeat what was typed in its place, ${counted(
    providers,
    ({ setupSteps }) => setupSteps.length > 0,
  )} come with numbered set-up steps, ${counted(providers, ({ webhooks }) => webhooks.supported)} have webhooks, ${counted(providers, (provider) => buildProbe(provider) !== undefined)} have a request that proves a credential. ${withIcon} have their logo, ${providers.length - withIcon} letters.

${countTable('auth', AUTH_KINDS, (kind) => AUTH_WORDS[kind], providers)}

${countTable('category', CATEGORIES, (category) => category, providers)}

${countTable('status', STATUSES, (status) => status, providers)}

${countTable('evidence', EVIDENCE, (evidence) => EVIDENCE_WORDS[evidence], providers)}

${coverageTable(alive)}

No entry was tried at the live provider by us. \`npm run check:providers -- --live <ids>\` asks public addresses of providers
whether the facts still hold.

## All of them

*Account*: a connection shows which of the provider's accounts it is; *as typed* repeats what was entered. *Status*: empty where anyone can use it, ? where that is not known. *Webhooks*: the provider has some. *Evidence*: how far the facts are confirmed. *Steps*: how to
set the provider up is said step by step (\`setupSteps\` of \`GET /v1/providers/<id>\`). *Hosts*: further API hosts,
called as \`<id>~<host>\` in the proxy path; *none* where a source says that there are none. *Further grants*: other ways to authenticate, which an
integration names as \`grant\`. *Set by the operator*: variables of
the integration. *Note*: the first note of the file, often a limit; the file has the rest. Names lead to the provider's
documentation.

${TABLE_HEAD}
${providers.map(rowOf).join('\n')}

## Credentials that no request proves

Any text is taken as a credential of these, and a test of a connection says that it cannot tell (\`noProbe\` of the file). Entries with
OAuth that are neither here nor have a request are proved by the token request alone.

| id | why |
|---|---|
${providers.flatMap(unprovenRow).join('\n')}

## Left out

What was looked at and has no entry, with the reason.

| name | reason |
|---|---|
${leftOut(providers).join('\n')}
`;
}

function unprovenRow({ id, noProbe }: Provider): string[] {
  return noProbe === undefined ? [] : [`| \`${id}\` | ${escaped(noProbe)} |`];
}

/** Rows of the products without an entry. Throws where one has got an entry, since it then is not left out. */
function leftOut(providers: readonly Provider[]): string[] {
  const ids = new Set(providers.map(({ id }) => id));
  const stale = LEFT_OUT.filter(({ id }) => ids.has(id)).map(({ id }) => id);
  if (stale.length > 0)
    throw new Error(`left-out-providers.ts names entries of the catalog: ${stale.join(', ')}`);
  return LEFT_OUT.map(({ name, reason }) => `| ${escaped(name)} | ${reason} |`);
}

function counted(providers: readonly Provider[], is: (provider: Provider) => boolean): number {
  return providers.filter(is).length;
}

function countTable<Field extends 'auth' | 'category' | 'status' | 'evidence'>(
  field: Field,
  values: readonly NonNullable<Provider[Field]>[],
  wordOf: (value: NonNullable<Provider[Field]>) => string,
  providers: readonly Provider[],
): string {
  const rows = values.map(
    (value) => `| ${wordOf(value)} | ${counted(providers, (provider) => provider[field] === value)} |`,
  );
  return `| ${field} | providers |\n|---|---|\n${rows.join('\n')}`;
}

/** How many entries have what users look for. */
function coverageTable(providers: readonly Provider[]): string {
  const rows = COVERAGE.map(({ what, of = () => true, has }) => {
    const all = providers.filter(of);
    const share = Math.floor((100 * counted(all, has)) / all.length);
    return `| ${what} | ${counted(all, has)} of ${all.length} | ${share} % |`;
  });
  return `| what users look for | entries | share |\n|---|---|---|\n${rows.join('\n')}`;
}

function rowOf(provider: Provider): string {
  const { id, name, category, auth, webhooks, setupSteps, docsUrl, notes, grants } = provider;
  const credentials = credentialFields(provider).map(({ name: field, isKey }) =>
    isKey ? CREDENTIAL_WORDS.apiKey : CREDENTIAL_WORDS[field],
  );
  const cells = [
    `\`${id}\``,
    docsUrl === undefined ? escaped(name) : `[${escaped(name)}](${docsUrl.replaceAll('|', '%7C')})`,
    category,
    AUTH_WORDS[auth],
    grants.map((grant) => `\`${grant.id}\``).join(', '),
    standingOf(provider),
    provider.evidence ?? '',
    asksForAccount(provider) ? 'yes' : repeatsAccount(provider) ? 'as typed' : '',
    yes(webhooks.supported),
    yes(setupSteps.length > 0),
    hostsOf(provider),
    [...titlesOf(provider, 'user'), ...credentials].join(', '),
    titlesOf(provider, 'integration').join(', '),
    escaped(notes[0] ?? ''),
  ];
  return `| ${cells.join(' | ')} |`;
}

function standingOf({ status, statusDate }: Provider): string {
  if (status === 'available' || status === 'unknown') return status === 'unknown' ? '?' : '';
  return statusDate === undefined ? status : `${status} (${statusDate})`;
}

function hostsOf(provider: Provider): string {
  return findHostFact(provider) === 'one' ? 'none' : Object.keys(provider.hosts).join(', ');
}

function titlesOf({ variables }: Provider, from: ProviderVariable['from']): string[] {
  return variables
    .filter((variable) => variable.from === from)
    .map(({ name, title }) => escaped(title ?? name));
}

/** True where the account is the provider's own word: its answer, not what was typed. */
function asksForAccount({ account, tenants }: Provider): boolean {
  return account === undefined ? tenants !== undefined : account.id.from !== 'variable';
}

function repeatsAccount({ account }: Provider): boolean {
  return account?.id.from === 'variable';
}

function yes(is: boolean): string {
  return is ? 'yes' : '';
}

/** As text of one table cell: nothing of it is markup. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|*_<>[\]{}`]/g, '\\$&');
}
