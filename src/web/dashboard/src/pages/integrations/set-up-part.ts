import { lazyPart } from '../../ui/lazy-part.ts';

/** The page on which a provider is set up: its fields and menus weigh more than the catalog, which needs none of them. */
export const SetUp = lazyPart(() => import('./set-up.tsx'), 'SetUp');
