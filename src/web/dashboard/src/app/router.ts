import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter } from '@tanstack/react-router';
import { FaultNotice, NotFoundNotice } from '../frame/fault-pages.tsx';
import { approvalsRoutes } from '../pages/approvals/routes.ts';
import { callsRoutes } from '../pages/calls/routes.ts';
import { connectionsRoutes } from '../pages/connections/routes.ts';
import { eventsRoutes } from '../pages/events/routes.ts';
import { gatewayRoutes } from '../pages/gateway/routes.ts';
import { homeRoutes } from '../pages/home/routes.ts';
import { integrationsRoutes } from '../pages/integrations/routes.ts';
import { mandatesRoutes } from '../pages/mandates/routes.ts';
import { meRoutes } from '../pages/me/routes.ts';
import { providersRoutes } from '../pages/providers/routes.ts';
import { settingsRoutes } from '../pages/settings/routes.ts';
import { publicRoutes } from '../pages/sign-in/routes.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { projectRoute, rootRoute, signedInRoute } from './parent-routes.tsx';

const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  component: lazyPart(() => import('../pages/home/start-page.tsx'), 'StartPage'),
});

/** Every page. A new area adds its routes here; `src/web/dashboard.router.ts` must know a new first segment. */
const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  signedInRoute.addChildren([
    startRoute,
    projectRoute.addChildren([
      ...homeRoutes,
      ...integrationsRoutes,
      ...connectionsRoutes,
      ...eventsRoutes,
      ...callsRoutes,
      ...mandatesRoutes,
      ...approvalsRoutes,
      ...settingsRoutes,
    ]),
    ...meRoutes,
    ...gatewayRoutes,
    ...providersRoutes,
  ]),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // A page's fault stands in the page's place: the frame around it stays.
    defaultErrorComponent: FaultNotice,
    defaultNotFoundComponent: NotFoundNotice,
    // The queries say when something is stale, not the router.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Plain values as in any address: `?status=active`, not JSON.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
