import type { Reference } from './references.ts';

/** In the order in which they are made: each kind may name objects of those before it. */
export const OBJECT_KINDS = [
  'customProvider',
  'mandate',
  'project',
  'integration',
  'poll',
  'destination',
  'member',
] as const;

export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** The section of the file that lists objects of a kind. */
export const SECTIONS: Readonly<Record<ObjectKind, string>> = {
  customProvider: 'customProviders',
  mandate: 'mandates',
  project: 'project',
  integration: 'integrations',
  poll: 'polls',
  destination: 'destinations',
  member: 'members',
};

/** Members of an object in the form of the file, defaults filled in, without name and secrets. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object as the gateway has it. */
export type CurrentObject = {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly id: string;
  readonly fields: Fields;
  /** Plain, by path: for comparing alone. Empty for those who may not change the project. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Of its row, so that a change which the fields do not show counts as one. */
  readonly version: number;
};

/** What the last apply of a file said of an object. */
export type ManagedObject = {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly objectId: string;
  readonly fields: Fields;
  /** By path of a field or a secret. */
  readonly references: Readonly<Record<string, Reference>>;
  /** Digests of the values that references stood for, by path. */
  readonly digests: Readonly<Record<string, string>>;
};

/** An object as a file wants it. */
export type WantedObject = {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly formerName: string | undefined;
  /** Where it stands in the document. */
  readonly place: readonly (string | number)[];
  /** Those that the file leaves alone are not there. */
  readonly fields: Fields;
  /** By path of a field or a secret. */
  readonly references: Readonly<Record<string, Reference>>;
  /** By path; undefined where the caller brings no value. */
  readonly secrets: ReadonlyMap<string, string | undefined>;
};

export type AppliedObject = ManagedObject & { readonly appliedAt: Date; readonly appliedBy: string };

export type CurrentState = {
  readonly objects: readonly CurrentObject[];
  readonly managed: readonly AppliedObject[];
  /** The same by kind and id of the object, see `formatManagedId`. */
  readonly managedById: ReadonlyMap<string, AppliedObject>;
  /** Stands for the whole of it. */
  readonly hash: string;
};

/** What the managed object of a kind is known by: members by their addresses. */
export function formatManagedId({ kind, id, name }: Pick<CurrentObject, 'kind' | 'id' | 'name'>): string {
  return `${kind} ${kind === 'member' ? name : id}`;
}
