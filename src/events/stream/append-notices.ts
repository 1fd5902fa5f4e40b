import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';

/** The first word of the notice: events were appended to a project's stream. */
const EVENTS_NOTICE = 'events';
/** Other processes hear of a busy project so often; each NOTIFY takes a lock that every commit with one takes. */
const NOTIFY_MS = 50;

type Listener = (projectId: string) => void;

export type AppendNotices = ReturnType<typeof createAppendNotices>;

/**
 * Tells listeners of this process at once, and those of other processes within some 50 ms, that a project has new events.
 * A notice may be lost with its process: listeners also look by themselves now and then.
 */
export function createAppendNotices(deps: { notify(payloads: readonly string[]): Promise<void> }) {
  const listeners = new Set<Listener>();
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function tell(projectId: string): void {
    for (const listener of listeners) listener(projectId);
  }

  function flush(): void {
    const projects = [...waiting];
    waiting = new Set();
    timer = undefined;
    deps.notify(projects.map((id) => `${EVENTS_NOTICE} ${id}`)).catch(() => undefined);
  }

  function noteAppended(projectId: string): void {
    tell(projectId);
    waiting.add(projectId);
    if (timer === undefined) timer = withoutStoreLimit(() => setTimeout(flush, NOTIFY_MS).unref());
  }

  return {
    /** Calls the listener whenever events were appended; the function that comes back ends that. */
    onAppended(listener: Listener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** Tells of appended events once `trx` has committed. */
    noteAfterCommit(trx: Db, projectId: string): void {
      afterCommit(trx, () => noteAppended(projectId));
    },

    noteAppended,

    /** A notification of the channel of changes. */
    handleNotice(payload: string): void {
      const [word, projectId] = payload.split(' ');
      if (word === EVENTS_NOTICE && projectId !== undefined) tell(projectId);
    },
  };
}
