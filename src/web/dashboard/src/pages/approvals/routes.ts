import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

export const approvalsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'approvals',
    loader: withTexts('approvals'),
    staticData: { title: (texts) => texts.approvals.title },
    component: lazyPart(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'approvals/$approvalId',
    loader: withTexts('approvals'),
    staticData: { title: (texts) => texts.approvals.one },
    component: lazyPart(() => import('./approval-page.tsx'), 'ApprovalPage'),
  }),
] as const;
