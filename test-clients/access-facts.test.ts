import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccessFacts } from '../src/catalog/facts/access-facts.ts';
import { compilePattern, matchesPath } from '../src/mandates/paths.ts';
import { builtInCatalog } from '../test/support/built-in-catalog.ts';

const PACKAGES = join(import.meta.dirname, 'node_modules');

/** What a client calls by POST, read from its own code: `*` stands for each value in a path. */
type Client = {
  readonly of: string;
  readonly host?: string;
  /** Files of the client that have its calls. */
  readonly files: string;
  /** Finds the path of a call as its first group, with POST somewhere behind it. */
  readonly call: RegExp;
  readonly toPath?: (found: string) => string;
  /** Paths of other releases of the API than the client's. */
  readonly elsewhere?: readonly string[];
};

const CLIENTS: readonly Client[] = [
  {
    of: 'notion',
    files: '@notionhq/client/build/src/api-endpoints/*.js',
    call: /method: "post",[\s\S]{0,400}?path: \(p?\) => `([^`]+)`/g,
    toPath: (found) => `/v1/${found}`,
    // Databases were queried themselves before they had data sources.
    elsewhere: ['/v1/databases/*/query'],
  },
  {
    of: 'dropbox',
    files: 'dropbox/lib/routes.js',
    call: /request\('([^']+)', (?:arg|null), '[^']*', 'api', 'rpc'/g,
    toPath: (found) => `/2/${found}`,
  },
  {
    of: 'dropbox',
    host: 'content',
    files: 'dropbox/lib/routes.js',
    call: /request\('([^']+)', (?:arg|null), '[^']*', 'content', '(?:rpc|download)'/g,
    toPath: (found) => `/2/${found}`,
  },
  {
    of: 'square',
    files: 'square/api/resources/**/Client.js',
    call: /"POST", "(\/v2[^"]*)"/g,
  },
  {
    of: 'intercom',
    files: 'intercom-client/dist/cjs/api/resources/**/Client.js',
    call: /"POST", "([^"]*)"/g,
    elsewhere: ['/admins/activity_logs/search'],
  },
  {
    of: 'klaviyo',
    files: 'klaviyo-api/dist/api/*.js',
    call: /localVarPath = this\.basePath \+ '([^']+)'(?:(?!localVarPath =)[\s\S])*?method: 'POST'/g,
  },
  {
    of: 'hubspot',
    files: '@hubspot/api-client/lib/codegen/**/apis/*.js',
    call: /localVarPath = '([^']+)'(?:(?!localVarPath =)[\s\S])*?HttpMethod\.POST/g,
    // Dated releases, and APIs that the client does not have.
    elsewhere: [
      '/crm/objects/*/*/search',
      '/crm/objects/*/*/batch/read',
      '/crm/objects/v3/deals/splits/batch/read',
      '/crm/associations/*/*/*/batch/read',
      '/crm/lists/*/search',
      '/crm/lists/*/records/memberships/batch/read',
      '/automation/v4/flows/batch/read',
      '/automation/v4/workflow-id-mappings/batch/read',
      '/communication-preferences/v4/statuses/batch/read',
      '/conversations/v3/conversations/actors/batch/read',
      '/marketing/v3/campaigns/batch/read',
      '/settings/v3/currencies/exchange-rates/batch/read',
    ],
  },
];

function readClient({ files, call, toPath = (found) => found }: Client): string[] {
  const texts = globSync(files, { cwd: PACKAGES }).map((name) => readFileSync(join(PACKAGES, name), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(call)].map(([, path = '']) => toPath(path)));
  return [...new Set(found.map((path) => path.replace(/\$?\{[^}]*\}/g, 'x')))];
}

function readsOf(id: string, host?: string): readonly string[] {
  const entry = builtInCatalog.find(id);
  return (entry && readAccessFacts(entry)?.(host)?.reads) ?? [];
}

const READS_BY_NAME =
  /search|list|get|read|query|queries|retrieve|count|find|lookup|report|check|calculate|download|export|from-|events|aggregates|account|space_usage|user|app|render|metadata|idmapping/;

describe.each(CLIENTS.map((client) => [`${client.of} ${client.host ?? ''}`, client] as const))(
  'the reads of %s, beside its own client',
  (...[, client]) => {
    const paths = readClient(client);

    it('are each a POST there', () => {
      expect(paths.length).toBeGreaterThan(5);
      const unknown = readsOf(client.of, client.host).filter((pattern) => {
        const compiled = compilePattern(pattern);
        return !paths.some((path) => matchesPath(compiled, path));
      });
      expect(unknown).toEqual(client.elsewhere ?? []);
    });

    it('take in no call that creates, changes or deletes', () => {
      const reads = readsOf(client.of, client.host).map(compilePattern);
      const taken = paths.filter((path) => reads.some((pattern) => matchesPath(pattern, path)));
      expect(taken.filter((path) => !READS_BY_NAME.test(path))).toEqual([]);
      expect(
        taken.filter((path) => /(^|[/_-])(create|update|delete|upsert|archive|send)([/_-]|$)/.test(path)),
      ).toEqual(paths.filter((path) => /^\/2\/files\/(create_folder|delete)_batch\/check$/.test(path)));
    });
  },
);

describe('the methods of @slack/web-api', () => {
  const text = readFileSync(join(PACKAGES, '@slack/web-api/dist/methods.js'), 'utf8');
  const methods = [...text.matchAll(/bindApiCall(?:WithOptionalArgument)?\(this, '([\w.]+)'/g)].map(
    ([, name = '']) => name,
  );
  const reads = new Set(readsOf('slack').map((path) => path.slice(1)));

  it('have every read of the file', () => {
    expect(methods.length).toBeGreaterThan(250);
    expect([...reads].filter((name) => !methods.includes(name))).toEqual([]);
  });

  it('are reads only where their last word says so', () => {
    const verbs = [...reads].map((name) => name.slice(name.lastIndexOf('.') + 1));
    const reading =
      /^(list\w*|get\w*|info|search|lookup\w*|history|replies|members|teamInfo|test|conversations|identity|userInfo|accessLogs|integrationLogs|billableInfo|all|files|messages|validate)$/;
    expect(verbs.filter((verb) => !reading.test(verb))).toEqual([]);
  });

  it('that are left to writes by doubt are few', () => {
    const listing = methods.filter((name) => /\.(list|info|search|lookup|get[A-Z]?\w*)$/.test(name));
    expect(listing.filter((name) => !reads.has(name))).toEqual([
      'agents.conversations.getCanvas',
      'files.getUploadURLExternal',
      'slackLists.download.get',
    ]);
  });
});
