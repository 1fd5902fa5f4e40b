import { HttpError } from '../http/errors.ts';
import type { Db } from '../platform/postgres/database.ts';
import { CUSTOM_PREFIX } from '../providers/custom-description.ts';
import { type Changing, changeObject, formatKey } from './change-objects.ts';
import { lockObjects, takeProject } from './configuration-objects.store.ts';
import { type ReadOptions, readState, type StateReader } from './current-state.ts';
import { digestReferences, maskReferences } from './masking.ts';
import type { CurrentObject, CurrentState, ManagedObject, WantedObject } from './objects.ts';
import { OBJECT_KINDS } from './objects.ts';
import { type Plan, type PlannedChange, planChanges } from './plan.ts';
import type { MergedSource } from './source.ts';
import type { WantedState } from './wanted-state.ts';

export type Applied = {
  readonly plan: Plan;
  readonly hash: string;
  /** Custom providers whose integrations are still being erased: they go once those have. */
  readonly left: readonly PlannedChange[];
};

type Applying = {
  readonly reader: StateReader;
  readonly options: ReadOptions;
  readonly projectId: string;
  readonly source: MergedSource;
  readonly wanted: WantedState;
  /** Of the state that was planned for. */
  readonly hash: string;
  readonly by: string;
  /** Throws where the caller's `If-Match` names another state. */
  assertWanted(hash: string): void;
  lockProject(trx: Db): Promise<boolean>;
  changing(trx: Db): Omit<Changing, 'ids'>;
  /** What a custom provider was is forgotten. */
  forgetProviders(): void;
};

/**
 * Makes a project what a file says, in one transaction. Throws `configuration_moved` where the state is not the one that was
 * planned for, and what the operations of the API refuse.
 */
export async function applyPlan(trx: Db, applying: Applying): Promise<Applied> {
  if (!(await takeProject(trx, applying.projectId)))
    throw new HttpError('configuration_moved', { detail: 'Another apply to the project is under way.' });
  if (!(await applying.lockProject(trx))) throw new HttpError('project_not_found');
  const plan = planChanges(await readPlanned(trx, applying), applying.wanted, applying.source);
  await lockObjects(trx, concerned(plan));
  // Between the reading and the locks one of them may have changed.
  const state = await readPlanned(trx, applying);
  const ids = new Map(state.objects.map(({ kind, name, id }) => [formatKey(kind, name), id]));
  const changing = { ...applying.changing(trx), ids };
  const left = plan.changes.filter((change) => waitsForErasure(change, plan.changes));
  for (const change of inOrder(plan.changes)) {
    if (left.includes(change)) continue;
    await changeObject(changing, change);
    if (change.kind === 'customProvider') applying.forgetProviders();
  }
  const hash = await keepManaged(trx, applying, ids);
  return { plan, hash, left };
}

/** A deleted integration is erased in the background, and until then keeps its provider. */
function waitsForErasure({ kind, action, name }: PlannedChange, changes: readonly PlannedChange[]): boolean {
  if (kind !== 'customProvider' || action !== 'delete') return false;
  return changes.some(
    (change) =>
      change.kind === 'integration' &&
      change.action === 'delete' &&
      change.current?.fields.serviceProvider === `${CUSTOM_PREFIX}${name}`,
  );
}

async function readPlanned(trx: Db, applying: Applying): Promise<CurrentState> {
  const { reader, projectId, options, hash } = applying;
  const state = await readState(reader, trx, projectId, options);
  if (state === undefined) throw new HttpError('project_not_found');
  applying.assertWanted(state.hash);
  if (state.hash !== hash) throw new HttpError('configuration_moved');
  return state;
}

/** Rows that the changes need to stay as they were read. */
function concerned({ changes }: Plan): CurrentObject[] {
  return changes.flatMap(({ current }) => (current === undefined ? [] : [current]));
}

/**
 * What is in the way of others goes first: polls, of which an integration has one of a kind, and destinations, which are
 * few. What others may name goes last.
 */
function inOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  const isFirst = ({ action, kind }: PlannedChange) =>
    action === 'delete' && (kind === 'poll' || kind === 'destination');
  const isLast = (change: PlannedChange) => change.action === 'delete' && !isFirst(change);
  const rank = (change: PlannedChange) => OBJECT_KINDS.indexOf(change.kind);
  const made = changes.filter((change) => !isFirst(change) && !isLast(change));
  return [
    ...changes.filter(isFirst),
    ...made.toSorted((one, other) => rank(one) - rank(other)),
    ...changes.filter(isLast).toSorted((one, other) => rank(other) - rank(one)),
  ];
}

/** Keeps what the file manages now, and answers the hash of the state that it leaves. */
async function keepManaged(
  trx: Db,
  { reader, options, projectId, wanted, by }: Applying,
  ids: ReadonlyMap<string, string>,
): Promise<string> {
  // Twice: objects that name others are read with the names that those have from now on.
  let hash = '';
  for (let round = 0; round < 2; round += 1) {
    const after = await readState(reader, trx, projectId, { ...options, withSecrets: true });
    if (after === undefined) throw new HttpError('project_not_found');
    const objects = wanted.objects.flatMap((one) => {
      const current = findAfter(after, one, ids);
      return current === undefined ? [] : [managedFrom(one, current)];
    });
    await reader.objects.replace(trx, projectId, { kinds: wanted.kinds, objects, by });
    hash = after.hash;
  }
  return hash;
}

function findAfter(
  { objects }: CurrentState,
  wanted: WantedObject,
  ids: ReadonlyMap<string, string>,
): CurrentObject | undefined {
  const ofKind = objects.filter(({ kind }) => kind === wanted.kind);
  if (wanted.kind === 'project') return ofKind[0];
  const id = ids.get(formatKey(wanted.kind, wanted.name));
  return ofKind.find((object) =>
    wanted.kind === 'member' || wanted.kind === 'customProvider'
      ? object.name === wanted.name
      : object.id === id,
  );
}

/** As the gateway has it after the apply, by the members that the file speaks of. */
function managedFrom(wanted: WantedObject, current: CurrentObject): ManagedObject {
  const { kind, name, references } = wanted;
  const said = Object.keys(wanted.fields).map((member) => [member, current.fields[member] ?? null]);
  return {
    kind,
    name: kind === 'project' ? current.name : name,
    objectId: kind === 'member' ? name : current.id,
    fields: maskReferences(Object.fromEntries(said), references),
    references,
    digests: digestReferences(current, references),
  };
}
