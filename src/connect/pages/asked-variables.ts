import { isUsersOwnKey } from '../../catalog/facts/acting-variables.ts';
import type { Provider, ProviderVariable } from '../../catalog/schema/provider.schema.ts';

/** What the user need not be asked for. */
export type KnownValues = {
  /** Variables that the operator set, or that the connection being re-authorized has. The user is not asked again. */
  readonly known: Readonly<Record<string, string>>;
  /** Names of secret variables that the operator set: users are asked for the others. */
  readonly sealed: ReadonlySet<string>;
};

/** What is wrong with one field: nothing in it, not what the field takes, no such credential can exist, or a certificate. */
export type FieldFault =
  | 'required'
  | 'invalid'
  | 'unusable'
  | 'certificate_not_in_force'
  | 'other_key'
  | 'passphrase_missing'
  | 'passphrase_wrong';

/**
 * True for a variable that its user has to type: one that neither the operator nor the connection has. For whom a key
 * acts is asked beside a key of the user's own only.
 */
export function isAsked(
  { from, name }: ProviderVariable,
  { provider, known, sealed }: KnownValues & { readonly provider: Provider },
): boolean {
  const isUsersWord = from === 'user' || (from === 'application' && isKeyTyped(provider, sealed));
  return isUsersWord && !Object.hasOwn(known, name) && !sealed.has(name);
}

/** True where the user types the key, which is the integration's else. */
export function isKeyTyped(provider: Provider, sealed: ReadonlySet<string>): boolean {
  const typed = provider.variables.filter(({ from, name }) => from === 'user' && !sealed.has(name));
  return isUsersOwnKey(provider, (name) => typed.some((variable) => variable.name === name));
}
