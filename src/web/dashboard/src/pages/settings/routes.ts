import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { NotFoundNotice } from '../../frame/fault-pages.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

const SettingsPage = lazyPart(() => import('./settings-page.tsx'), 'SettingsPage');

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'settings',
    loader: withTexts('settings'),
    staticData: { title: (texts) => texts.settings.title },
    component: SettingsPage,
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'settings/$section',
    // A page that throws is caught at its own route, which then has to know what to show.
    notFoundComponent: NotFoundNotice,
    loader: withTexts('settings'),
    staticData: { title: (texts) => texts.settings.title },
    component: SettingsPage,
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity',
    loader: withTexts('activity'),
    staticData: { title: (texts) => texts.activity.title },
    component: lazyPart(() => import('../activity/activity-page.tsx'), 'ActivityPage'),
  }),
] as const;
