import type { Issue } from '../user-jwt/claims.ts';

/** One revocation as it is stored: of a token, of a user, or (both null) of everyone in the project. */
export type StoredRevocation = {
  readonly jti: string | null;
  readonly subject: string | null;
  /** Tokens issued before this are refused; null for the revocation of one token. */
  readonly issuedBefore: Date | null;
};

/** A project's revocations in the form in which tokens are compared with them. */
export type Revocations = {
  /** Changes with every change of the project's revocations. */
  readonly version: number;
  readonly tokenIds: ReadonlySet<string>;
  /** By user id: tokens issued before this are refused. In milliseconds, as all times here. */
  readonly issuedBeforeMsOfUser: ReadonlyMap<string, number>;
  readonly issuedBeforeMs: number;
  /** What the ids of erased users stand under; undefined where none was erased lately. */
  readonly nameErased: NameErased | undefined;
};

/** The name under which tokens of an erased user are refused, which does not tell who it was. */
export type NameErased = (userId: string) => string;

/** Begins the names of erased users in the place of user ids. */
export const ERASED_USER_PREFIX = 'erased:';

export const NO_REVOCATIONS: Revocations = {
  version: 0,
  tokenIds: new Set(),
  issuedBeforeMsOfUser: new Map(),
  issuedBeforeMs: Number.NEGATIVE_INFINITY,
  nameErased: undefined,
};

/** The revocations of one project, of any number and in any order. */
export function buildRevocations(
  version: number,
  stored: readonly StoredRevocation[],
  nameErased?: NameErased,
): Revocations {
  const tokenIds = new Set<string>();
  const issuedBeforeMsOfUser = new Map<string, number>();
  let issuedBeforeMs = Number.NEGATIVE_INFINITY;
  for (const { jti, subject, issuedBefore } of stored) {
    const beforeMs = issuedBefore?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (jti !== null) tokenIds.add(jti);
    else if (subject === null) issuedBeforeMs = Math.max(issuedBeforeMs, beforeMs);
    else
      issuedBeforeMsOfUser.set(
        subject,
        Math.max(issuedBeforeMsOfUser.get(subject) ?? Number.NEGATIVE_INFINITY, beforeMs),
      );
  }
  return { version, tokenIds, issuedBeforeMsOfUser, issuedBeforeMs, nameErased };
}

/** Whether a token of this user is revoked. One without `iat` counts as issued at the beginning of time. */
export function isRevoked(
  revocations: Revocations,
  { subject, jti, issuedAtMs, parentJtis }: Issue & { readonly subject: string },
): boolean {
  if (jti !== null && revocations.tokenIds.has(jti)) return true;
  if (parentJtis?.some((parent) => revocations.tokenIds.has(parent))) return true;
  if (issuedAtMs < revocations.issuedBeforeMs) return true;
  const { issuedBeforeMsOfUser, nameErased } = revocations;
  const isBefore = (name: string) =>
    issuedAtMs < (issuedBeforeMsOfUser.get(name) ?? Number.NEGATIVE_INFINITY);
  return isBefore(subject) || (nameErased !== undefined && isBefore(nameErased(subject)));
}
