import type { ErrorComponentProps } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.ts';

// Seldom needed, and otherwise a part of the first script of every page.
const FaultNotices = {
  Fault: lazyPart(() => import('./fault-notices.tsx'), 'FaultNotice'),
  NotFound: lazyPart(() => import('./fault-notices.tsx'), 'NotFoundNotice'),
};

/** In the place of a page within the frame: an address that leads nowhere, and a thing that is no longer there. */
export function NotFoundNotice() {
  return (
    <Suspense>
      <FaultNotices.NotFound />
    </Suspense>
  );
}

/** In the place of a page within the frame: what it threw. */
export function FaultNotice(props: ErrorComponentProps) {
  return (
    <Suspense>
      <FaultNotices.Fault {...props} />
    </Suspense>
  );
}

/** The same without the frame. */
export function NotFoundPage() {
  return (
    <Main>
      <NotFoundNotice />
    </Main>
  );
}

/** The same without the frame. */
export function FaultPage(props: ErrorComponentProps) {
  return (
    <Main>
      <FaultNotice {...props} />
    </Main>
  );
}

function Main({ children }: { children: ReactNode }) {
  return <main tabIndex={-1}>{children}</main>;
}
