/** Whether the gateway answers, for the bar at the top of the page. */
export type Reachability = 'reachable' | 'offline' | 'unreachable' | 'back';

const RETRY_MS = 2_000;
const BACK_SHOWN_MS = 4_000;

type Listener = () => void;

let state: Reachability = 'reachable';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<Listener>();

/** For useSyncExternalStore. */
export function readReachability(): Reachability {
  return state;
}

/** For useSyncExternalStore. Gives back the function that ends the subscription. */
export function subscribeToReachability(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: Reachability): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Says that a request got no answer of the gateway; asks for one until there is. */
export function reportUnreachable(): void {
  change(navigator.onLine ? 'unreachable' : 'offline');
  clearTimeout(timer);
  timer = setTimeout(probe, RETRY_MS);
}

async function probe(): Promise<void> {
  const isUp = await fetch('/livez', { cache: 'no-store' }).then(
    (response) => response.ok,
    () => false,
  );
  if (!isUp) return reportUnreachable();
  change('back');
  timer = setTimeout(() => change('reachable'), BACK_SHOWN_MS);
}

/** Follows what the browser knows about its network. Called once, at the start. */
export function watchNetwork(): void {
  addEventListener('offline', reportUnreachable);
  addEventListener('online', () => {
    clearTimeout(timer);
    void probe();
  });
}
