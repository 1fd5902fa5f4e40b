/** Something changed about this user's connections, in this tab or in another of the same application. */
export type GatewayEvent = {
  readonly type: 'connection.created' | 'connection.reauthorized' | 'connection.deleted';
  readonly connectionId: string;
};

/** What tabs send each other. Ids and error codes only: never a token or a completion code. */
export type TabMessage =
  | GatewayEvent
  /** The window of a connect session came back to the application and is done. */
  | { readonly type: 'returned'; readonly sessionId: string; readonly connectionId: string }
  | { readonly type: 'returned'; readonly sessionId: string; readonly error: string }
  /** The tab that waited for this session has heard it: the window may close. */
  | { readonly type: 'heard'; readonly sessionId: string };

export type Tabs = ReturnType<typeof createTabs>;

/** The tabs of one application on one project. Without BroadcastChannel, or outside a browser, there is only this one. */
export function createTabs(projectId: string) {
  const channel = openChannel(`integration-gateway:${projectId}`);
  const listeners = new Set<(message: TabMessage) => void>();
  const notify = (message: TabMessage) => {
    for (const listener of [...listeners]) listener(message);
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => notify(data));

  return {
    /** To the other tabs. */
    post: (message: TabMessage): void => channel?.postMessage(message),
    /** To this tab and the others. */
    announce(event: GatewayEvent): void {
      notify(event);
      channel?.postMessage(event);
    },
    /** Gives the function that ends it. */
    listen(listener: (message: TabMessage) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function openChannel(name: string): BroadcastChannel | undefined {
  try {
    // On a server, rendering, a channel would keep the process alive.
    return typeof document === 'undefined' ? undefined : new BroadcastChannel(name);
  } catch {
    // A browser that is set to keep nothing for this site.
    return undefined;
  }
}
