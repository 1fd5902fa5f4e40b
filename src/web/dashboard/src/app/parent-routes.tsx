import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { FaultPage, NotFoundPage } from '../frame/fault-pages.tsx';
import { Root } from '../frame/root.tsx';
import { Shell } from '../frame/shell.tsx';
import type { Texts } from '../texts/en.ts';
import { requireOperator } from './session.ts';

/** A page's name for the document's title: `staticData: { title: (texts) => texts.calls.title }`. */
declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: (texts: Texts) => string;
  }
}

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: FaultPage,
});

/** The parent of every page that needs a session; it brings the frame. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: Shell,
  beforeLoad: ({ context, location }) => requireOperator(context.queryClient, location.href),
});

/** The parent of every page of a project: `useProjectId()` knows which. */
export const projectRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/p/$projectId' });
