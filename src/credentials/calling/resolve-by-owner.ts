import { HttpError } from '../../http/errors.ts';
import type { ConnectionChoice, MaybePromise, ResolvedConnection } from '../../proxy/contract.ts';
import { hasNone, isNotFound, type UserEntry } from './choose-connection.ts';

/** A choice among the connections of one owner: of the user, or of the organization that is named. */
export type OwnedChoice = ConnectionChoice & { readonly ownedBy?: string };

/** The entries of single owners. */
export type OwnerEntries = {
  /** The entry in memory; null: there is no integration; undefined: it has to be read. */
  current(key: string, choice: OwnedChoice): UserEntry | null | undefined;
  resolve(key: string, choice: OwnedChoice): MaybePromise<ResolvedConnection>;
  resolveFromStore(key: string, choice: OwnedChoice): Promise<ResolvedConnection>;
};

/**
 * The user's own connection, else that of the organization which the token names. What a call names is looked for among
 * these alone, and a user who has left finds the organization's no more, since the token says where its user belongs.
 */
export function createResolveByOwner({ current, resolve, resolveFromStore }: OwnerEntries) {
  /** Cold: the store has the last word about the user's own before the organization's are taken. */
  async function resolveCold(
    ownKey: string,
    choice: ConnectionChoice,
    key: string,
    ofOrganization: OwnedChoice,
  ): Promise<ResolvedConnection> {
    try {
      return await resolve(ownKey, choice);
    } catch (error) {
      if (!isMissing(error)) throw error;
      try {
        return await resolve(key, ofOrganization);
      } catch (second) {
        throw isNotFound(second) ? error : second;
      }
    }
  }

  return (choice: ConnectionChoice): MaybePromise<ResolvedConnection> => {
    const { projectId, provider, user } = choice;
    const ownKey = `${projectId} ${provider} ${user.subject}`;
    if (user.membership === undefined) return resolve(ownKey, choice);
    const { organization } = user.membership;
    // No id of a user has a control character.
    const key = `${projectId} ${provider} \0${organization}`;
    const ofOrganization = { ...choice, ownedBy: organization };
    const own = current(ownKey, choice);
    if (!own) return resolveCold(ownKey, choice, key, ofOrganization);
    if (!hasNone(own, choice)) {
      if (own.tooMany === undefined) return resolve(ownKey, choice);
      return resolveCold(ownKey, choice, key, ofOrganization);
    }
    const found = resolve(key, ofOrganization);
    if (!(found instanceof Promise)) return found;
    return found.catch((error: unknown) => {
      // The user's own may have been made just now, by another process.
      if (isNotFound(error)) return resolveFromStore(ownKey, choice);
      throw error;
    });
  };
}

/** Nothing of the user's own is known; with the store away, as far as memory knows. */
function isMissing(error: unknown): boolean {
  if (isNotFound(error)) return true;
  return error instanceof HttpError && error.code === 'store_unavailable' && isNotFound(error.cause);
}
