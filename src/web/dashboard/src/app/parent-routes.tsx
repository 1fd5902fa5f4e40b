import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, notFound } from '@tanstack/react-router';
import { findStatus } from '../api/problem.ts';
import { apiQuery } from '../api/queries.ts';
import { FaultPage, NotFoundNotice, NotFoundPage } from '../frame/fault-pages.tsx';
import { Root } from '../frame/root.tsx';
import { Shell } from '../frame/shell.tsx';
import type { Texts } from '../texts/area-texts.ts';
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

/** The parent of every page of a project: `useProjectId()` knows which. Strangers to it find nothing. */
export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/p/$projectId',
  loader: ({ context, params }) => requireProject(context.queryClient, params.projectId),
  notFoundComponent: NotFoundNotice,
});

async function requireProject(client: QueryClient, projectId: string): Promise<void> {
  try {
    await client.ensureQueryData(apiQuery('/projects/{projectId}', { path: { projectId } }));
  } catch (error) {
    if (findStatus(error) === 404) throw notFound();
    // Whatever else it is, each page says it in its own place.
  }
}
