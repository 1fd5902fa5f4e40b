/**
 * Whether the gateway answers, for the bar at the top of the page. `incomplete`: it does, but a script of the page cannot
 * be had; `outdated`: it serves another build than this page, which has to be loaded again to go on.
 */
export type Reachability = 'reachable' | 'offline' | 'unreachable' | 'back' | 'incomplete' | 'outdated';

const RETRY_MS = 2_000;
const BACK_SHOWN_MS = 4_000;
const LATELY_MS = 1_000;

type Listener = () => void;

let state: Reachability = 'reachable';
let timer: ReturnType<typeof setTimeout> | undefined;
let answeredAtMs = performance.now();
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
  if (await answers()) reportReachable();
  else reportUnreachable();
}

/** Whether the gateway answers now. */
export async function answers(): Promise<boolean> {
  const isUp = await fetch('/livez', { cache: 'no-store' }).then(
    (response) => response.ok,
    () => false,
  );
  if (isUp) noteAnswer();
  return isUp;
}

/** Says that the gateway has just answered. */
export function noteAnswer(): void {
  answeredAtMs = performance.now();
}

/** Whether it answered so lately that it need not be asked. */
export function hasAnsweredLately(): boolean {
  return navigator.onLine && state !== 'unreachable' && performance.now() - answeredAtMs < LATELY_MS;
}

/** Says that what was missing is there again. */
export function reportReachable(): void {
  if (state === 'reachable' || state === 'back') return;
  clearTimeout(timer);
  change('back');
  timer = setTimeout(() => change('reachable'), BACK_SHOWN_MS);
}

/** Says that the gateway answers, but this page cannot go on by itself. */
export function reportStuck(how: 'incomplete' | 'outdated'): void {
  clearTimeout(timer);
  change(how);
}

/** Waits until the gateway answers again. False where `signal` ended the waiting. */
export function untilReachable(signal?: AbortSignal): Promise<boolean> {
  const isAway = () => state === 'offline' || state === 'unreachable';
  if (!isAway()) return Promise.resolve(signal?.aborted !== true);
  return new Promise((resolve) => {
    const settle = (isBack: boolean) => {
      unsubscribe();
      signal?.removeEventListener('abort', onAbort);
      resolve(isBack);
    };
    const onAbort = () => settle(false);
    const unsubscribe = subscribeToReachability(() => isAway() || settle(true));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) settle(false);
  });
}

/** Follows what the browser knows about its network. Called once, at the start. */
export function watchNetwork(): void {
  addEventListener('offline', reportUnreachable);
  addEventListener('online', () => {
    clearTimeout(timer);
    void probe();
  });
}
