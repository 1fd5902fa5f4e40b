import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const connectionsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'connections',
    loader: withTexts('connections', 'integrations'),
    staticData: { title: (texts) => texts.connections.title },
    component: lazyPart(() => import('./connections-page.tsx'), 'ConnectionsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'connections/$connectionId',
    loader: withTexts('connections', 'integrations'),
    staticData: { title: (texts) => texts.connections.title },
    component: lazyPart(() => import('./connection-page.tsx'), 'ConnectionPage'),
  }),
] as const;
