import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

const toAny = (search: Record<string, unknown>) => search;

export const publicRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: (search: Record<string, unknown>): { returnTo?: string; error?: string } => toAny(search),
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].title },
    component: lazyPart(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].setup.title },
    component: lazyPart(() => import('./setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].invitation.loadingTitle },
    component: lazyPart(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset-password',
    loader: withTexts('sign-in'),
    staticData: { title: (texts) => texts['sign-in'].resetPassword.title },
    component: lazyPart(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
] as const;
