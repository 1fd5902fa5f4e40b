import type { Catalog } from './catalog.ts';

/** A catalog that another takes the place of while the gateway runs. Who asks it afterwards is answered by the new one. */
export type ReplaceableCatalog = Catalog & { replace(next: Catalog): void };

export function createReplaceableCatalog(first: Catalog): ReplaceableCatalog {
  let current = first;
  return {
    find: (id) => current.find(id),
    ids: () => current.ids(),
    all: () => current.all(),
    findAll: (ids) => current.findAll(ids),
    list: () => current.list(),
    replace(next) {
      current = next;
    },
  };
}

/** Does the work once for each catalog that takes the place of another: the list of ids is another one then. */
export function oncePerCatalog<Result>(catalog: Pick<Catalog, 'ids'>, work: () => Result): () => Result {
  let done: { readonly ids: readonly string[]; readonly result: Result } | undefined;
  return () => {
    const ids = catalog.ids();
    if (done?.ids !== ids) done = { ids, result: work() };
    return done.result;
  };
}
