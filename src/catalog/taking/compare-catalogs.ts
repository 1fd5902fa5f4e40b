import { listFileUrls } from '../facts/file-urls.ts';
import type { Catalog } from '../loading/catalog.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { listAuthMethods } from '../schema/provider-auth-methods.ts';

/** What another catalog would change of the one in use. */
export type CatalogDifference = {
  /** Ids that the one in use does not have. */
  readonly added: readonly string[];
  /** Ids that the other one lacks; the built-in entries stay. */
  readonly missing: readonly string[];
  /** Hosts that a known provider has not had: credentials of users who are connected may go there. */
  readonly newHosts: readonly { readonly provider: string; readonly hosts: readonly string[] }[];
};

export function compareCatalogs(current: Catalog, next: readonly Provider[]): CatalogDifference {
  const ids = new Set(next.map(({ id }) => id));
  return {
    added: next.filter(({ id }) => current.find(id) === undefined).map(({ id }) => id),
    missing: current.ids().filter((id) => !ids.has(id)),
    newHosts: next.flatMap((provider) => {
      const known = current.find(provider.id);
      if (known === undefined) return [];
      const hosts = hostsOf(provider).difference(hostsOf(known));
      return hosts.size === 0 ? [] : [{ provider: provider.id, hosts: [...hosts] }];
    }),
  };
}

/** With every way to authenticate; a host that a variable is part of stands as the file has it. */
function hostsOf(provider: Provider): Set<string> {
  const urls = listAuthMethods(provider).flatMap((each) => listFileUrls(each).map(([, url]) => url));
  return new Set(urls.map((url) => /^(?:[a-z]+:\/\/)?([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? url));
}
