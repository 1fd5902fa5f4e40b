import type { ProviderFile } from '../schema/provider.schema.ts';
import type { EVIDENCE, Source } from '../schema/provider-standing.schema.ts';

export type Evidence = (typeof EVIDENCE)[number];
type Group = Source['says'][number];

/** Sources of one origin, by the owner of a repository or the package: one of each family counts. */
const FAMILIES: Readonly<Record<string, string>> = {
  '@auth/core': 'authjs',
  '@better-auth': 'authjs',
  'better-auth': 'authjs',
  'next-auth': 'authjs',
  nextauthjs: 'authjs',
  '@nangohq/node': 'nangohq',
  'n8n-nodes-base': 'n8n-io',
  'alan-eu': 'activepieces',
  datafire: 'openapi-collections',
  jentic: 'openapi-collections',
  js07: 'pipedream',
  '@pipedream': 'pipedream',
  'octree-gva': 'activepieces',
  mongodb: 'secret-scanners',
  sendinblue: 'airbytehq',
  trufflesecurity: 'secret-scanners',
};
const VENDOR = 'vendor';

/**
 * How far the sources confirm what a connection needs: addresses and API base of a log-in, base and place of a key. The
 * provider's own word counts most; else two independent sources have to agree on each. Undefined: the file names no
 * source that says what it confirms.
 */
export function computeEvidence(file: Fields): Evidence | undefined {
  const sources = listSources(file);
  if (sources.length === 0) return undefined;
  const needed = listNeeded(file);
  const familiesFor = (group: Group) =>
    new Set(sources.filter(({ says }) => says.includes(group)).map(findSourceFamily));
  const isConfirmed = (hasEnough: (families: ReadonlySet<string>) => boolean) =>
    needed.every((groups) => groups.some((group) => hasEnough(familiesFor(group))));
  if (isConfirmed((families) => families.has(VENDOR))) return 'documentation';
  if (isConfirmed((families) => families.size > 1)) return 'several-sources';
  const isPartlyConfirmed = needed.flat().some((group) => familiesFor(group).size > 1);
  return isPartlyConfirmed ? 'one-source' : 'transcribed';
}

/** The file with its label in the place of what that is computed from; its grants have the same. */
export function withEvidence({ sources, ...file }: ProviderFile): ProviderFile {
  const evidence = computeEvidence({ ...file, sources }) ?? file.evidence;
  return { ...file, ...(evidence && { evidence }) };
}

type Fields = Pick<
  ProviderFile,
  'auth' | 'apiKey' | 'apiBaseUrl' | 'authorizationUrl' | 'tokenUrl' | 'login' | 'sources'
>;

/** The sources of which is known what they confirm. */
export function listSources({ sources = [] }: Pick<ProviderFile, 'sources'>): Source[] {
  return sources.filter((source) => typeof source !== 'string');
}

/** Of each list one group has to be confirmed. */
function listNeeded({ auth, apiKey, apiBaseUrl, authorizationUrl, tokenUrl, login }: Fields): Group[][] {
  const hasEndpoints = authorizationUrl !== undefined || tokenUrl !== undefined || login !== undefined;
  if (hasEndpoints && auth !== 'api-key' && auth !== 'basic')
    return [['endpoints'], ['apiBase', 'keyPlacement']];
  // A key in the path stands in the base.
  if (apiKey?.in === 'path') return [['apiBase']];
  // Where each company has a host of its own, only the place of the key is a fact about all of them.
  const isHostFixed = !/^(https?:\/\/)?\{[A-Za-z0-9_.]+\}(\/|:|$)/.test(apiBaseUrl);
  return isHostFixed ? [['apiBase'], ['keyPlacement']] : [['keyPlacement']];
}

/** Whose word a source is, so that copies of one catalog count once. */
function findSourceFamily({ from, by }: Source): string {
  if (by !== undefined) return VENDOR;
  const name = from.startsWith('https://') ? ownerOf(new URL(from)) : from.slice(0, from.lastIndexOf('@'));
  const [scope = name] = name.split('/');
  return FAMILIES[name] ?? FAMILIES[scope] ?? scope;
}

function ownerOf({ hostname, pathname }: URL): string {
  const isShared = hostname === 'github.com' || hostname === 'gitlab.com';
  return (isShared ? pathname.split('/')[1] : undefined)?.toLowerCase() ?? hostname;
}
