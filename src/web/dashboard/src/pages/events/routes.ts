import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { NotFoundNotice } from '../../frame/fault-pages.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const eventsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events',
    loader: withTexts('events'),
    staticData: { title: (texts) => texts.events.title },
    component: lazyPart(() => import('./events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events/$section',
    // A page that throws is caught at its own route, which then has to know what to show.
    notFoundComponent: NotFoundNotice,
    loader: withTexts('events'),
    staticData: { title: (texts) => texts.events.title },
    component: lazyPart(() => import('./events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events/destinations/$destinationId',
    loader: withTexts('events'),
    staticData: { title: (texts) => texts.events.deliveries.destination },
    component: lazyPart(() => import('./destinations/destination-page.tsx'), 'DestinationPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events/polls/$pollId',
    loader: withTexts('events'),
    staticData: { title: (texts) => texts.events.tabs.polls },
    component: lazyPart(() => import('./polls/poll-page.tsx'), 'PollPage'),
  }),
] as const;
