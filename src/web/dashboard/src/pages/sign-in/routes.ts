import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';

const toAny = (search: Record<string, unknown>) => search;

export const publicRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: (search: Record<string, unknown>): { returnTo?: string; error?: string } => toAny(search),
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].title },
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].setup.title },
    component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].invitation.loadingTitle },
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset-password',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].resetPassword.title },
    component: lazyRouteComponent(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
] as const;
