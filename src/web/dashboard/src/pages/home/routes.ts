import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/parent-routes.tsx';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { homeQueries } from './home-data.ts';

const loadTexts = withTexts('home');

export const homeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    // While the page's script is on its way. What fails, the page asks for again.
    loader: ({ context: { queryClient }, params: { projectId } }) => {
      const { integrations, overview } = homeQueries(projectId);
      void queryClient.prefetchQuery(integrations);
      void queryClient.prefetchQuery(overview);
      return loadTexts();
    },
    staticData: { title: (texts) => texts.home.title },
    component: lazyPart(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const;
