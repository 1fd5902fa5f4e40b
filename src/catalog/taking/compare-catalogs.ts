import { listFileUrls } from '../facts/file-urls.ts';
import { positionsIn } from '../facts/url-template.ts';
import type { Catalog } from '../loading/catalog.ts';
import type { Provider, ProviderVariable } from '../schema/provider.schema.ts';
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

/**
 * With every way to authenticate. A host that a variable is part of stands as the file has it, beside what the variable may be: another
 * default moves the host of all who are connected without a value of their own.
 */
function hostsOf(provider: Provider): Set<string> {
  const hosts = listAuthMethods(provider).flatMap((each) => {
    const urls = listFileUrls(each).map(([, url]) => url);
    const deciding = new Set(urls.flatMap(listHostVariables));
    const variables = each.variables.filter(({ name }) => deciding.has(name));
    return [...urls.map(hostOf), ...variables.flatMap(listValues)];
  });
  return new Set(hosts);
}

function hostOf(url: string): string {
  return /^(?:[a-z]+:\/\/)?([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? url;
}

function listHostVariables(url: string): string[] {
  return [...positionsIn(url)].flatMap(([name, position]) =>
    position === 'path' || position === 'elsewhere' ? [] : [name],
  );
}

function listValues({
  name,
  from,
  path,
  part,
  ownPattern,
  default: usual,
  options = [],
}: ProviderVariable): string[] {
  const values = [...(usual === undefined ? [] : [usual]), ...options.map(({ value }) => value)];
  return [
    `{${name}} from ${[from, path, part].filter((one) => one !== undefined).join(' ')}`,
    ownPattern === undefined ? `{${name}} of any form` : `{${name}} like ${ownPattern}`,
    ...values.map((value) => `{${name}} = ${value}`),
  ];
}
