import type { Db } from './database.ts';

/** Ownership of projects changes seldom, and a party that is a minute old costs no more than a turn. */
const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 10_000;

export type Parties = ReturnType<typeof createParties>;

/**
 * Which party owns a project: all projects of one owner are one party, as the function `party_of_project` has it. What
 * tenants share beside requests is parted by party, since a further project costs nothing.
 */
export function createParties({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
  const remembered = new Map<string, { readonly party: string; readonly untilMs: number }>();

  /** By project; from memory where that is fresh. `on`: the caller's own transaction, so that it needs no second connection. */
  async function partiesOf(on: Db, projectIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const parties = new Map<string, string>();
    const unknown = new Set<string>();
    for (const id of projectIds) {
      const { party, untilMs } = remembered.get(id) ?? {};
      if (party !== undefined && untilMs !== undefined && untilMs > nowMs()) parties.set(id, party);
      else unknown.add(id);
    }
    if (unknown.size === 0) return parties;
    const { rows } = await on.raw<{ rows: { id: string; party: string }[] }>(
      'SELECT id, party_of_project(id) AS party FROM unnest(?::uuid[]) AS id',
      [[...unknown]],
    );
    if (remembered.size + rows.length > REMEMBERED_MAX) remembered.clear();
    for (const { id, party } of rows) {
      parties.set(id, party);
      remembered.set(id, { party, untilMs: nowMs() + REMEMBER_MS });
    }
    return parties;
  }

  async function partyOf(on: Db, projectId: string): Promise<string> {
    return (await partiesOf(on, [projectId])).get(projectId) ?? projectId;
  }

  return { partiesOf, partyOf };
}
