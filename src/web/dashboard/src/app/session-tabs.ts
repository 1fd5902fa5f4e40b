type SessionChange = 'signed-in' | 'signed-out';

const CHANNEL = 'integration-gateway:session';

/** Tells the other tabs of this browser what has become of their session, which is the same. */
export function announceSession(change: SessionChange): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(change);
  channel.close();
}

/** Calls `listener` when another tab says so. Gives back the function that ends it. */
export function onSessionChange(change: SessionChange, listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }) => {
    if (data === change) listener();
  });
  return () => channel.close();
}
