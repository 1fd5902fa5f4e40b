import type { AccessFacts } from '../../mandates/call.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { splitHost } from '../schema/provider-access.schema.ts';

export const ACCESS_LISTS = ['reads', 'writes', 'batch', 'graphql'] as const;
/** How calls under a mandate to read are judged: by what the file says of them, or by their methods alone. */
export const ACCESS_KINDS = ['described', 'methods'] as const;

type Described = Pick<Provider, (typeof ACCESS_LISTS)[number] | 'overrides' | 'methodsTell'>;

function isListed(provider: Described): boolean {
  return provider.overrides !== undefined || ACCESS_LISTS.some((list) => provider[list] !== undefined);
}

/** `described` also where the file says that methods tell everything. */
export function findAccessKind(provider: Described): (typeof ACCESS_KINDS)[number] {
  return provider.methodsTell === true || isListed(provider) ? 'described' : 'methods';
}

/** What the file says of the paths at the API base (undefined) or at one of the further hosts. */
export type FindAccessFacts = (host: string | undefined) => AccessFacts | undefined;

const known = new WeakMap<Described, FindAccessFacts>();

/** Undefined where the file says nothing. The lists stay the same objects, since the rule of a token keeps what it makes of them. */
export function readAccessFacts(provider: Described & Pick<Provider, 'hosts'>): FindAccessFacts | undefined {
  if (!isListed(provider)) return undefined;
  const found = known.get(provider) ?? findByHost(provider);
  known.set(provider, found);
  return found;
}

function findByHost(provider: Described & Pick<Provider, 'hosts'>): FindAccessFacts {
  const names = ['api', ...Object.keys(provider.hosts)];
  const facts = new Map(names.map((name) => [name, factsAt(provider, name)]));
  return (host = 'api') => facts.get(host);
}

function factsAt(provider: Described, host: string): AccessFacts {
  const pathsOf = (list: (typeof ACCESS_LISTS)[number]) => {
    const paths = provider[list]
      ?.map(splitHost)
      .filter((entry) => entry.host === undefined || entry.host === host)
      .map(({ path }) => path);
    return paths?.length ? paths : undefined;
  };
  return {
    reads: pathsOf('reads'),
    writes: pathsOf('writes'),
    batch: pathsOf('batch'),
    graphql: pathsOf('graphql'),
    overrides: provider.overrides,
  };
}
