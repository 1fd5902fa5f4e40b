import { HttpError, type InputFault } from '../http/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import { compareFields, isSameSecret } from './comparison.ts';
import { concernsReference, maskReferences } from './masking.ts';
import {
  type CurrentObject,
  type CurrentState,
  formatManagedId,
  type ManagedObject,
  type ObjectKind,
  type WantedObject,
} from './objects.ts';
import { type Reference, writeReference } from './references.ts';
import type { MergedSource } from './source.ts';
import type { WantedState } from './wanted-state.ts';

/** A member that a change concerns. What a reference stands for is never shown. */
export type PlannedField =
  | { readonly path: string; readonly from: unknown; readonly to: unknown }
  | { readonly path: string; readonly secret: true; readonly reference: string };

export type PlannedChange = {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: ObjectKind;
  readonly name: string;
  readonly fields: readonly PlannedField[];
  readonly current: CurrentObject | undefined;
  readonly wanted: WantedObject | undefined;
};

export type Plan = {
  readonly changes: readonly PlannedChange[];
  /** What the file lists, with what there is of it. */
  readonly listed: readonly {
    readonly wanted: WantedObject;
    readonly current: CurrentObject | undefined;
  }[];
  /** Made by hand until now, and listed by the file. */
  readonly adopted: readonly CurrentObject[];
  /** Made by hand, and not listed. */
  readonly unmanaged: readonly CurrentObject[];
  /** References of secrets whose values the caller does not bring: what is there stays. */
  readonly unverified: readonly Reference[];
};

/** What of a poll cannot be changed: it is deleted and made again. */
const FIXED_OF_POLL: ReadonlySet<string> = new Set([
  'integration',
  'resource',
  'custom',
  'parameters',
  'backfill',
]);

/** What would have to change for the present state to be the wanted one. Throws `invalid_request`. */
export function planChanges(state: CurrentState, wanted: WantedState, source: MergedSource): Plan {
  const listed = matchObjects(state, wanted);
  const renames = listRenames(listed);
  const taken = new Set(listed.flatMap(({ current }) => (current === undefined ? [] : [current])));
  const isManaged = (object: CurrentObject) => findManaged(state, object) !== undefined;
  const rest = state.objects.filter((object) => wanted.kinds.includes(object.kind) && !taken.has(object));
  assertPossible(state, wanted, listed, source);
  return {
    changes: [
      ...listed.flatMap(({ wanted: one, current }) =>
        changesOf(state, one, current && withNewNames(current, renames)),
      ),
      ...rest
        .filter((object) => object.kind !== 'project' && isManaged(object))
        .map((current) => deletion(current)),
    ],
    listed,
    adopted: [...taken].filter((object) => !isManaged(object)),
    unmanaged: rest.filter((object) => object.kind !== 'project' && !isManaged(object)),
    unverified: listUnverified(listed),
  };
}

/** What a file last said of the object. */
export function findManaged(
  { managedById }: Pick<CurrentState, 'managedById'>,
  object: Pick<CurrentObject, 'kind' | 'id' | 'name'>,
): ManagedObject | undefined {
  return managedById.get(formatManagedId(object));
}

type Matched = { readonly wanted: WantedObject; readonly current: CurrentObject | undefined };

/** By name, else by the former name: an object that another one of the file has the name of is not taken for it. */
function matchObjects({ objects }: CurrentState, wanted: WantedState): Matched[] {
  const byName = new Map(objects.map((object) => [`${object.kind} ${object.name}`, object]));
  const project = objects.find(({ kind }) => kind === 'project');
  const names = new Set(wanted.objects.map(({ kind, name }) => `${kind} ${name}`));
  return wanted.objects.map((one) => {
    if (one.kind === 'project') return { wanted: one, current: project };
    const former = `${one.kind} ${one.formerName}`;
    const current =
      byName.get(`${one.kind} ${one.name}`) ?? (names.has(former) ? undefined : byName.get(former));
    return { wanted: one, current };
  });
}

/** By kind and present name, the names that the file gives. */
function listRenames(listed: readonly Matched[]): ReadonlyMap<string, string> {
  const renamed = listed.flatMap(({ wanted: { kind, name }, current }) =>
    current === undefined || current.name === name ? [] : [[`${kind} ${current.name}`, name] as const],
  );
  return new Map(renamed);
}

/** An object that names another one is no other for a new name of that. */
function withNewNames(current: CurrentObject, renames: ReadonlyMap<string, string>): CurrentObject {
  const { kind, fields } = current;
  const renamed = (of: ObjectKind, name: unknown) => renames.get(`${of} ${String(name)}`) ?? name;
  if (kind === 'poll')
    return { ...current, fields: { ...fields, integration: renamed('integration', fields.integration) } };
  const { agentSignIn } = fields;
  if (kind !== 'project' || !isRecord(agentSignIn) || !isRecord(agentSignIn.openid)) return current;
  const { openid } = agentSignIn;
  const mandate = renamed('mandate', openid.mandate);
  return {
    ...current,
    fields: { ...fields, agentSignIn: { ...agentSignIn, openid: { ...openid, mandate } } },
  };
}

function deletion(current: CurrentObject): PlannedChange {
  const { kind, name } = current;
  return { action: 'delete', kind, name, fields: [], current, wanted: undefined };
}

function changesOf(
  state: CurrentState,
  wanted: WantedObject,
  current: CurrentObject | undefined,
): PlannedChange[] {
  const { kind } = wanted;
  const name = kind === 'project' ? (current?.name ?? wanted.name) : wanted.name;
  if (current === undefined)
    return [{ action: 'create', kind, name, fields: fieldsOfNew(wanted), current, wanted }];
  const fields = differencesOf(wanted, current, findManaged(state, current));
  if (fields.length === 0) return [];
  if (kind === 'poll' && fields.some(({ path }) => FIXED_OF_POLL.has(path.split('.')[0] ?? '')))
    return [
      deletion(current),
      { action: 'create', kind, name, fields: fieldsOfNew(wanted), current: undefined, wanted },
    ];
  return [{ action: 'update', kind, name, fields, current, wanted }];
}

function fieldsOfNew({ fields, references, secrets }: WantedObject): PlannedField[] {
  const shown = Object.entries(maskReferences(fields, references)).flatMap(([path, to]) =>
    isEmpty(to) ? [] : [{ path, from: null, to }],
  );
  return [...shown, ...[...secrets.keys()].map((path) => secretField(path, references))];
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function secretField(path: string, references: Readonly<Record<string, Reference>>): PlannedField {
  return { path, secret: true, reference: writeReference(references[path] ?? '') };
}

function differencesOf(
  wanted: WantedObject,
  current: CurrentObject,
  managed: ManagedObject | undefined,
): PlannedField[] {
  const { references } = wanted;
  const open = compareFields(current.fields, wanted.fields).map((difference): PlannedField => {
    const { path } = difference;
    if (concernsReference(path, references))
      return { path, secret: true, reference: referenceOf(path, references) };
    // The value that is there may have come by a reference, which the file has no more.
    const isHidden = managed !== undefined && concernsReference(path, managed.references);
    return isHidden ? { ...difference, from: referenceOf(path, managed.references) } : difference;
  });
  const secret = [...wanted.secrets].flatMap(([path, value]) => {
    const known = current.secrets.get(path);
    const differs =
      value === undefined ? known === undefined : known === undefined || differFrom(known, value);
    return differs ? [secretField(path, references)] : [];
  });
  const isRenamed = current.kind !== 'project' && current.name !== wanted.name;
  const renaming = isRenamed ? [{ path: 'name', from: current.name, to: wanted.name }] : [];
  const hasName = open.some(({ path }) => path === 'name');
  return [...(hasName ? [] : renaming), ...open, ...secret];
}

function differFrom(known: string, value: string): boolean {
  return known !== '' && !isSameSecret(known, value);
}

function referenceOf(path: string, references: Readonly<Record<string, Reference>>): string {
  const found = Object.entries(references).find(([known]) => concernsReference(path, { [known]: '' }));
  return writeReference(found?.[1] ?? '');
}

/** An empty secret stands for one that the caller may not compare. */
function listUnverified(listed: Plan['listed']): Reference[] {
  const missing = listed.flatMap(({ wanted: { secrets, references }, current }) =>
    [...secrets].flatMap(([path, value]) =>
      value === undefined || current?.secrets.get(path) === '' ? [references[path] ?? ''] : [],
    ),
  );
  return [...new Set(missing)];
}

/** Refuses what no change leads to. */
function assertPossible(
  state: CurrentState,
  wanted: WantedState,
  listed: Plan['listed'],
  source: MergedSource,
): void {
  const faults: InputFault[] = [];
  const known = (kind: ObjectKind) =>
    new Set([...state.objects, ...wanted.objects].filter((one) => one.kind === kind).map(({ name }) => name));
  const integrations = known('integration');
  for (const { wanted: one, current } of listed) {
    const fault = (member: string, message: string) =>
      faults.push(source.faultAt([...one.place, member], message));
    if (one.kind === 'integration' && current !== undefined) {
      if (current.fields.serviceProvider !== one.fields.serviceProvider)
        fault('serviceProvider', 'The provider of an integration stays: give the other one another name');
    }
    if (one.kind === 'destination' && current !== undefined && current.fields.kind !== one.fields.kind)
      fault('kind', 'The kind of a destination stays: give the other one another name');
    if (one.kind === 'poll' && !integrations.has(String(one.fields.integration)))
      fault('integration', 'No integration has this name');
  }
  if (wanted.kinds.includes('member') && losesOwners(state, listed)) {
    const owner = listed.find(({ current }) => current !== undefined && isOwner(current));
    const place = owner === undefined ? ['members'] : [...owner.wanted.place, 'role'];
    faults.push(
      source.faultAt(place, 'The last owner of the project stays one: make another member an owner'),
    );
  }
  if (faults.length > 0)
    throw new HttpError('invalid_request', { detail: 'The file has faults.', errors: faults });
}

/** Whether the project has an owner now, and none once the file is applied. */
function losesOwners(state: CurrentState, listed: Plan['listed']): boolean {
  const wanted = new Map(listed.map((one) => [one.current, one.wanted]));
  const staysOwner = (member: CurrentObject) => {
    const one = wanted.get(member);
    if (one !== undefined) return isOwner({ ...member, fields: one.fields });
    return isOwner(member) && findManaged(state, member) === undefined;
  };
  return state.objects.some(isOwner) && !state.objects.some(staysOwner);
}

/** Who is invited is none yet. */
function isOwner({ kind, id, fields }: CurrentObject): boolean {
  return kind === 'member' && id.startsWith('operator:') && fields.role === 'owner';
}
