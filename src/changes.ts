/** What keeps rows in memory and must hear of changes to them. */
export type ChangeAudience = { invalidateProject(projectId: string): void; distrustAll(): void };

/** The channel of migration 0001's triggers; its payload is `<table> <project id> <row id>`. */
export const CHANGE_CHANNEL = 'gateway_changes';

/**
 * Passes change notices on to everything that keeps rows in memory: from other processes through Postgres, from this
 * one at once, so that a caller finds its own change in its very next call.
 */
export function createChanges(audience: readonly ChangeAudience[]) {
  const projectChanged = (projectId: string) => {
    for (const listener of audience) listener.invalidateProject(projectId);
  };
  return {
    projectChanged,
    noticed(payload: string): void {
      const [, projectId] = payload.split(' ');
      if (projectId) projectChanged(projectId);
    },
    /** Notices were or may have been missed. */
    distrustAll(): void {
      for (const listener of audience) listener.distrustAll();
    },
  };
}
