import { compareFields, digest, isSameDigest, valueAt } from './comparison.ts';
import { concernsReference, maskCurrent } from './masking.ts';
import {
  type CurrentObject,
  type CurrentState,
  formatManagedId,
  type ManagedObject,
  type ObjectKind,
} from './objects.ts';
import type { PlannedField } from './plan.ts';
import { writeReference } from './references.ts';

export type DriftedObject = {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly objectId: string;
  readonly state: 'in_sync' | 'drifted' | 'missing';
  /** From what the file said to what there is. */
  readonly fields: readonly PlannedField[];
};

/** How each object that a file manages differs from what the last apply made of it. */
export function findDrift(state: CurrentState): DriftedObject[] {
  const objects = new Map(state.objects.map((object) => [formatManagedId(object), object]));
  return state.managed.map((managed) => {
    const { kind, name, objectId } = managed;
    const current = objects.get(`${kind} ${objectId}`);
    if (current === undefined) return { kind, name, objectId, state: 'missing', fields: [] };
    const fields = [...driftedFields(managed, current), ...driftedSecrets(managed, current)];
    return { kind, name, objectId, state: fields.length > 0 ? 'drifted' : 'in_sync', fields };
  });
}

function driftedFields(managed: ManagedObject, current: CurrentObject): PlannedField[] {
  const now = maskCurrent(current, managed);
  const said = Object.keys(managed.fields);
  const compared = Object.fromEntries(said.map((name) => [name, now[name] ?? null]));
  return compareFields(managed.fields, compared).map((difference) =>
    concernsReference(difference.path, managed.references)
      ? secretField(difference.path, managed)
      : difference,
  );
}

/** References of fields are the fields' part. */
function driftedSecrets(managed: ManagedObject, { secrets, fields }: CurrentObject): PlannedField[] {
  return Object.keys(managed.references)
    .filter((path) => valueAt(fields, path) === undefined)
    .flatMap((path) => {
      const [known, value] = [managed.digests[path], secrets.get(path)];
      const isSame =
        known === undefined || value === undefined ? known === value : isSameDigest(known, digest(value));
      return isSame ? [] : [secretField(path, managed)];
    });
}

function secretField(path: string, { references }: ManagedObject): PlannedField {
  const found = Object.keys(references).find((known) => concernsReference(path, { [known]: '' }));
  return { path, secret: true, reference: writeReference(references[found ?? ''] ?? '') };
}
