import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const mandatesRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'mandates',
    loader: withTexts('mandates'),
    staticData: { title: (texts) => texts.mandates.title },
    component: lazyPart(() => import('./mandates-page.tsx'), 'MandatesPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'mandates/new',
    loader: withTexts('mandates'),
    staticData: { title: (texts) => texts.mandates.newTitle },
    component: lazyPart(() => import('./new-mandate-page.tsx'), 'NewMandatePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'mandates/$mandateId',
    loader: withTexts('mandates'),
    staticData: { title: (texts) => texts.mandates.one },
    component: lazyPart(() => import('./mandate-page.tsx'), 'MandatePage'),
  }),
] as const;
