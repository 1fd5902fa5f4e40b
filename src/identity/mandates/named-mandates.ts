import { createPart } from '../../mandates/read-user-mandate.ts';
import type { MandatePart, MandateRefusal } from '../../mandates/user-mandate.ts';
import { createAnnouncedCache } from '../../platform/announced-cache.ts';
import type { Log } from '../../platform/logger.ts';
import type { NamedMandate } from './mandates.store.ts';

const ENTRIES_MAX = 5_000;

/** A named mandate, ready to judge calls; with a refusal where it allows nothing. */
export type ReadyMandate =
  | { readonly part: MandatePart; readonly entries: NamedMandate['entries']; readonly refusal?: undefined }
  | { readonly refusal: MandateRefusal };

function unknown(id: string): ReadyMandate {
  const detail = `The token refers to a mandate (gateway_mandate) that the project does not have: ${id}.`;
  return { refusal: { code: 'mandate_denied', detail } };
}

export type NamedMandates = ReturnType<typeof createNamedMandates>;

/** Named mandates by id, in memory: a change is announced to every process (decision 0019). */
export function createNamedMandates(deps: {
  find(projectId: string, id: string): Promise<NamedMandate | undefined>;
  now(): number;
  log: Pick<Log, 'warn'>;
}) {
  const cache = createAnnouncedCache<ReadyMandate, { projectId: string; id: string }>({
    entriesMax: ENTRIES_MAX,
    now: deps.now,
    groupOf: (_key, { projectId }) => projectId,
    async load(_key, { projectId, id }) {
      const found = await deps.find(projectId, id);
      return found && prepare(found);
    },
    onBackgroundError: (error, key) =>
      deps.log.warn({ err: error, mandate: key }, 'a mandate could not be read'),
  });

  return {
    /** A plain value where it is in memory. Rejects where the store cannot be asked. */
    find(projectId: string, mandateId: string): ReadyMandate | Promise<ReadyMandate> {
      const id = mandateId.toLowerCase();
      const key = `${projectId} ${id}`;
      const context = { projectId, id };
      // What was not there may be there by now: no refusal of that kind comes from memory.
      const held = cache.current(key, context);
      return held ?? cache.load(key, context).then(({ value }) => value ?? unknown(id));
    },

    /** Something about the project's mandates changed. */
    invalidate: (projectId: string): void => cache.change(projectId, undefined),
    markAllStale: (): void => cache.markAllStale(),
    setHasNotices: (value: boolean): void => cache.setHasNotices(value),
  };
}

function prepare({ id, name, state, entries }: NamedMandate): ReadyMandate {
  if (state === 'active') return { part: createPart(id, entries, [], name), entries };
  return { refusal: { code: 'mandate_frozen', detail: `The mandate “${name}” is frozen.` } };
}
