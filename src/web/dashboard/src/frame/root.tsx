import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { preloadProblemWords } from '../ui/problem-notice.tsx';
import { ReachabilityBar } from './reachability-bar.tsx';

/** After the first page has all that it needs. */
const PRELOAD_AFTER_MS = 3_000;

/** What every page has: the title of the document, the focus after a navigation, the bar about the connection. */
export function Root() {
  useFocusAfterNavigation();
  useEffect(() => {
    const timer = setTimeout(preloadProblemWords, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <ReachabilityBar />
      <Suspense>
        <DocumentTitle />
      </Suspense>
      <Outlet />
    </>
  );
}

/** Renders nothing, but waits for the texts that have the title. */
function DocumentTitle() {
  const texts = useTexts();
  const title = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.title)?.staticData.title,
  });
  const name = title?.(texts);
  useEffect(() => {
    document.title = name ? `${name} · ${texts.frame.product}` : texts.frame.product;
  }, [name, texts]);
  return null;
}

/** A detail page's own name in the document's title. */
export function useTitle(name: string | undefined): void {
  const { frame } = useTexts();
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · ${frame.product}`;
  }, [name, frame]);
}

/** A new page is read from its heading on; a changed filter moves nothing. */
function useFocusAfterNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
        const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main');
        target?.focus({ preventScroll: true });
      }),
    [router],
  );
}
