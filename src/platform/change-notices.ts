/** Something in the store that changed and that processes keep in memory. Other processes' changes name the row; `endUserId` is known for connections, and for rows with an end user. */
export type Notice = {
  readonly table: Table;
  readonly projectId: string;
  readonly rowId?: string | undefined;
  readonly endUserId?: string | undefined;
};

/** Tables, and `origins` for the allowed origins of a project, which are also looked up over all projects. */
const TABLES = [
  'projects',
  'origins',
  'signing_keys',
  'integrations',
  'organization_clients',
  'connections',
  'custom_providers',
  'webhook_subscriptions',
  'end_users',
  'mandates',
  'gateway_restores',
  'agent_consents',
] as const;

type Table = (typeof TABLES)[number];

/** A cache of rows that must be notified of changes to them. */
type ChangeAudience = {
  changed(notice: Notice): void;
  /** Notices were or may have been missed. */
  markAllStale(): void;
  /** Whether notices arrive from now on. */
  setHasNotices?(value: boolean): void;
};

export type Changes = ReturnType<typeof createChanges>;

/** The channel of the migrations' triggers; its payload is `<table> <project id> <row id> [<end user id>]`. */
export const CHANGE_CHANNEL = 'gateway_changes';

/**
 * Passes changes on to everything that keeps rows in memory: those of other processes as Postgres announces them, those
 * of this one at commit, so that a caller finds its own change in its very next call.
 */
export function createChanges() {
  const audience: ChangeAudience[] = [];

  function announce(notice: Notice): void {
    for (const listener of audience) listener.changed(notice);
  }

  function setHasNotices(value: boolean): void {
    for (const listener of audience) {
      listener.setHasNotices?.(value);
      listener.markAllStale();
    }
  }

  return {
    /** The owner of a cache calls this when it builds the cache, before the process listens for notices. */
    subscribe(listener: ChangeAudience): void {
      audience.push(listener);
    },

    announce,

    /** A notification of the channel. */
    handleNotification(payload: string): void {
      const [name = '', projectId, rowId, endUserId] = payload.split(' ');
      const table = TABLES.find((known) => known === name);
      if (table !== undefined && projectId !== undefined) announce({ table, projectId, rowId, endUserId });
    },

    /** What entries were made of has changed outside of the store: each is read again before it serves. */
    markAllStale(): void {
      for (const listener of audience) listener.markAllStale();
    },

    /** Notices do not arrive any more. */
    handleNoticesLost: (): void => setHasNotices(false),

    /** Notices arrive again; some were missed meanwhile. */
    handleNoticesRestored: (): void => setHasNotices(true),
  };
}
