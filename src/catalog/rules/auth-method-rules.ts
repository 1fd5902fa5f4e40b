import { isDeepStrictEqual } from 'node:util';
import { suggestName } from '../../lib/closest-name.ts';
import {
  ENTRY_FIELDS,
  type Fields,
  inheritedFields,
  kindsUsing,
  NAMING_FIELDS,
} from '../facts/overlay-auth-method.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import type { Fault } from './fault.ts';

type GrantFile = ProviderFile['grants'][number];

/** Where facts come from is said of a grant as of an entry, and changes nothing. */
const PROVENANCE = ['sources', 'checked', 'agree', 'conflicts'];

/** Faults in the names of an entry's grants: each is named once, and not like the entry's own way, which is its kind. */
export function namingFaults({ auth, grants }: Pick<ProviderFile, 'auth' | 'grants'>): Fault[] {
  return grants.flatMap(({ id }, index) => {
    const path = ['grants', index, 'id'];
    if (id === auth) return [{ path, reason: `${id} is the name of the entry's own way to authenticate` }];
    const isRepeated = grants.findIndex((other) => other.id === id) < index;
    return isRepeated ? [{ path, reason: `${id} is the id of another grant of this entry as well` }] : [];
  });
}

/** Faults in the fields that a grant has: unknown ones, the entry's, and those that its kind does not use. */
export function grantFieldFaults(grant: GrantFile, entry: Fields, known: readonly string[]): Fault[] {
  const inherited = inheritedFields(entry, grant);
  return Object.entries(grant).flatMap(([field, value]) => {
    if (NAMING_FIELDS.includes(field) || PROVENANCE.includes(field)) return [];
    const reason = explainField(field, grant, known) ?? explainValue(field, value, inherited);
    return reason === undefined || field === 'auth' ? [] : [{ path: [field], reason }];
  });
}

function explainField(field: string, { auth }: GrantFile, known: readonly string[]): string | undefined {
  if (ENTRY_FIELDS.includes(field)) return 'is the same for all grants and stands in the entry';
  if (!known.includes(field)) return unknownFieldReason(field, [...known, 'title', 'purpose']);
  const kinds = kindsUsing(field);
  if (kinds === undefined || kinds.includes(auth)) return undefined;
  return `is not used where auth is ${auth}; did you mean auth: ${kinds[0]}?`;
}

function explainValue(field: string, value: unknown, inherited: Fields): string | undefined {
  if (value === null) {
    return inherited[field] === undefined ? 'takes away what the grant does not inherit' : undefined;
  }
  return isDeepStrictEqual(value, inherited[field]) ? 'repeats what the entry says' : undefined;
}

/** The reason for a field that no schema knows, with the name that was probably meant. */
export function unknownFieldReason(field: string, known: readonly string[]): string {
  return `is not a field that the catalog knows${suggestName(field, known)}`;
}

/** Grants that are what the entry or an earlier grant is already. */
export function repetitionFaults(entry: ProviderFile, effective: readonly ProviderFile[]): Fault[] {
  const described = [entry, ...effective].map(howItAuthenticates);
  return effective.flatMap((_, index) => {
    const earlier = described
      .slice(0, index + 1)
      .findIndex((other) => isDeepStrictEqual(other, described[index + 1]));
    if (earlier < 0) return [];
    const same = earlier === 0 ? 'the entry itself' : `grants.${earlier - 1}`;
    return [{ path: ['grants', index], reason: `changes nothing: it is the same as ${same}` }];
  });
}

function howItAuthenticates({
  grants: _grants,
  setupSteps: _steps,
  notes: _notes,
  ...file
}: ProviderFile): object {
  return file;
}
