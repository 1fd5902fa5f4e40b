import { takeOutdated } from '../api/build.ts';
import { giveUpUnsaved, hasUnsaved } from '../api/unsaved.ts';
import { makeQueryClient } from './query-client.ts';
import { makeRouter } from './router.ts';
import { onSessionChange } from './session-tabs.ts';

export type Parts = ReturnType<typeof makeParts>;

/** What the pages share: the answers of the API that are kept, and the way from an address to its page. */
export function makeParts() {
  const queryClient = makeQueryClient(() => {
    const { pathname, href } = router.state.location;
    // What is typed stays in sight where the operator has declined to sign in again.
    if (pathname === '/sign-in' || hasUnsaved()) return;
    queryClient.clear();
    void router.navigate({ to: '/sign-in', search: { returnTo: href } });
  });
  const router = makeRouter(queryClient);
  // After an upgrade, the next page comes with the scripts of its own build.
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (!pathChanged || !takeOutdated()) return;
    router.history.flush();
    location.reload();
  });
  // The whole document goes, so that nothing of it stays in memory or in sight.
  onSessionChange('signed-out', () => {
    giveUpUnsaved();
    location.assign('/sign-in');
  });
  return { queryClient, router };
}

/**
 * Asks at once for all that the first page needs: its script beside the question who the operator is, and what its
 * route loads right after. Drawn first, the page would ask for each of them later. Resolves when they are there.
 */
export async function loadFirstPage({ router }: Parts): Promise<void> {
  const [routes] = router.getMatchedRoutes(location.pathname);
  for (const { options } of routes) void options.component?.preload?.();
  // The page shows in its place what failed.
  await router.load({ sync: true }).catch(() => undefined);
}
