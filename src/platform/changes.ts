/** A row that changed. `endUserId` is known for connections. */
export type Change = {
  readonly table: 'projects' | 'signing_keys' | 'integrations' | 'connections' | 'custom_providers';
  readonly projectId: string;
  readonly endUserId?: string | undefined;
};

/** What keeps rows in memory and must hear of changes to them. */
export type ChangeAudience = { changed(change: Change): void; distrustAll(): void };

/** The channel of the migrations' triggers; its payload is `<table> <project id> <row id> [<end user id>]`. */
export const CHANGE_CHANNEL = 'gateway_changes';

/** Tables by what activity records call their rows. Nothing keeps the others in memory. */
const TABLES: Readonly<Record<string, Change['table']>> = {
  project: 'projects',
  signing_key: 'signing_keys',
  integration: 'integrations',
  connection: 'connections',
  custom_provider: 'custom_providers',
};

/**
 * Passes changes on to everything that keeps rows in memory: those of other processes as Postgres announces them, those
 * of this one at commit, so that a caller finds its own change in its very next call.
 */
export function createChanges(audience: readonly ChangeAudience[]) {
  function announce(change: Change): void {
    for (const listener of audience) listener.changed(change);
  }
  return {
    announce,
    /** What an activity record says has changed. */
    recorded(entry: {
      projectId: string | null;
      subjectKind: string;
      details: Readonly<Record<string, unknown>>;
    }): void {
      const table = TABLES[entry.subjectKind];
      if (entry.projectId === null || table === undefined) return;
      const { integrationUserId } = entry.details;
      const endUserId = typeof integrationUserId === 'string' ? integrationUserId : undefined;
      announce({ table, projectId: entry.projectId, endUserId });
    },
    noticed(payload: string): void {
      const [name = '', projectId, , endUserId] = payload.split(' ');
      const table = Object.values(TABLES).find((known) => known === name);
      if (table !== undefined && projectId !== undefined) announce({ table, projectId, endUserId });
    },
    /** Notices were or may have been missed. */
    distrustAll(): void {
      for (const listener of audience) listener.distrustAll();
    },
  };
}
