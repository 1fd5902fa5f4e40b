import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

/** How entries say in words that a revocation takes more along than its token. */
const ENDS_MORE =
  /other connections (of|to|would) .*end|with the last|whole (grant|authorization) .*(revok|tak|to the client)|takes the whole authorization|everything that the (user|seller) has granted|uninstalls the app/i;

const revocable = builtInCatalog
  .list()
  .flatMap((entry) => listAuthMethods(entry))
  .filter(({ revocationUrl }) => revocationUrl !== undefined);

describe('an entry whose notes say that a revocation ends other connections', () => {
  const telling = revocable.filter(({ notes }) => notes.some((note) => ENDS_MORE.test(note)));

  it('is one of thirty at least', () => {
    expect(telling.length).toBeGreaterThanOrEqual(30);
  });

  it.each(telling.map((entry) => [entry.id, entry] as const))('says so in a field: %s', (_id, entry) => {
    expect(entry.revocation.ends).not.toBe('token');
  });
});

it('entries at one revocation address agree on what a revocation ends', () => {
  const byUrl = Map.groupBy(revocable, ({ revocationUrl = '' }) => revocationUrl);
  const differing = [...byUrl].filter(
    ([, entries]) => new Set(entries.map(({ revocation }) => revocation.ends)).size > 1,
  );
  expect(differing.map(([url]) => url)).toEqual([]);
});
