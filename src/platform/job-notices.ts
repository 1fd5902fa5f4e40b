import type { Knex } from 'knex';

/** At most one notification of a name to other processes in this time. */
const NOTIFY_PAUSE_MS = 200;
/** The first word of our notifications on the channel of changes. */
const NOTICE = 'jobs';

/** Notifies the other processes of jobs, a name at most once in NOTIFY_PAUSE_MS. */
export function createJobNotices(deps: {
  db: Knex;
  channel: string;
  processKey: number;
  onError(error: unknown): void;
}) {
  const { db, channel, processKey, onError } = deps;
  const waiting = new Map<string, NodeJS.Timeout>();
  const dueAgain = new Set<string>();

  async function notify(name: string): Promise<void> {
    try {
      await db.raw('SELECT pg_notify(?, ?)', [channel, `${NOTICE} ${name} ${processKey}`]);
    } catch (error) {
      onError(error);
    }
  }

  function send(name: string): void {
    if (waiting.has(name)) {
      dueAgain.add(name);
      return;
    }
    const timer = setTimeout(() => {
      waiting.delete(name);
      if (dueAgain.delete(name)) send(name);
    }, NOTIFY_PAUSE_MS);
    waiting.set(name, timer.unref());
    void notify(name);
  }

  return {
    send,
    /** The name in a notification of another process. */
    nameIn(payload: string): string | undefined {
      const [kind, name, from] = payload.split(' ');
      return kind === NOTICE && from !== String(processKey) ? name : undefined;
    },
    /** Sends at once what waits for its pause. */
    async stop(): Promise<void> {
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all([...dueAgain].map(notify));
    },
  };
}
