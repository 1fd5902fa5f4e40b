import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const callsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'calls',
    loader: withTexts('calls', 'connections'),
    staticData: { title: (texts) => texts.calls.title },
    component: lazyPart(() => import('./calls-page.tsx'), 'CallsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'calls/$requestId',
    loader: withTexts('calls', 'connections'),
    staticData: { title: (texts) => texts.calls.callTitle },
    component: lazyPart(() => import('./call-page.tsx'), 'CallPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'console',
    loader: withTexts('calls', 'connections'),
    staticData: { title: (texts) => texts.calls.consoleTitle },
    component: lazyPart(() => import('./console-page.tsx'), 'ConsolePage'),
  }),
] as const;
