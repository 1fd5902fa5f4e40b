import { consentsStore } from '../agent-sign-in/consents.store.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import { createPortalRouter, type PortalRouterDependencies } from './portal.router.ts';
import { createPortalActs, type PortalActsDependencies } from './portal-acts.ts';
import { createPortalBrowsers } from './portal-browsers.ts';
import { createPortalSessionsEndpoints, type PortalSessionsDependencies } from './portal-sessions.router.ts';
import { portalSessionsStore } from './portal-sessions.store.ts';

type PortalInput = Pick<Kit, 'db' | 'log' | 'publicUrl'> &
  Omit<PortalActsDependencies, 'consents' | 'connections'> &
  PortalSessionsDependencies &
  Pick<PortalRouterDependencies, 'providers' | 'findBrand'> & {
    readonly connections: PortalActsDependencies['connections'] & PortalRouterDependencies['connections'];
    /** Of one address; 0: any number. */
    readonly pagesPerMinute: number;
  };

/** Builds the page on which a person sees and ends what they have connected. */
export function createPortal(input: PortalInput) {
  const { pagesPerMinute: limit } = input;
  const parts = { ...input, consents: consentsStore };
  return {
    router: createPortalRouter({
      ...parts,
      browsers: createPortalBrowsers(input),
      acts: createPortalActs(parts),
      ...(limit > 0 && { limiter: createRateLimiter({ limit, windowSeconds: 60 }) }),
    }),
    endpoints: (): Endpoint[] => createPortalSessionsEndpoints(input),
    chores: [
      {
        name: 'pages of connections that have ended',
        ...HOURLY,
        run: () => portalSessionsStore.purgeOfAnyProject(input.db),
      },
    ] satisfies Chore[],
  };
}
