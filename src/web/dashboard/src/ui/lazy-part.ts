import { lazyRouteComponent } from '@tanstack/react-router';
import { loadScript } from '../api/load-script.ts';

type Module = Awaited<ReturnType<Parameters<typeof lazyRouteComponent>[0]>>;

/**
 * A page or a part of one whose script is loaded when it is first drawn, and waited for where it cannot be had. React's own
 * `lazy` would throw the page away then.
 */
export function lazyPart<M extends Module, Name extends keyof M>(load: () => Promise<M>, name: Name) {
  return lazyRouteComponent(() => loadScript(load), name);
}
