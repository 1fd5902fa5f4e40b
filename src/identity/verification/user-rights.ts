import type { Membership } from '../../mandates/membership.ts';
import type { TokenRights } from '../../mandates/token-rights.ts';
import type { Actor, UserMandate } from '../../mandates/user-mandate.ts';
import type { NamedMandates, ReadyMandate } from '../mandates/named-mandates.ts';

/** The end user whom a verified user token names. */
export type VerifiedUser = {
  readonly projectId: string;
  readonly subject: string;
  /** Undefined: the token names no organization. */
  readonly membership?: Membership | undefined;
  /** Undefined: the token may do what its user may. */
  readonly mandate: UserMandate | undefined;
  /** Who acts for the user; undefined: the token does not say. */
  readonly actors?: readonly Actor[] | undefined;
};

type Token = {
  readonly projectId: string;
  readonly subject: string;
  readonly membership: Membership | undefined;
  readonly rights: TokenRights | undefined;
};

const REQUIRED: UserMandate = {
  ids: [],
  parts: [],
  refusal: {
    code: 'mandate_required',
    detail: 'The project takes only tokens with a mandate, and this one has none.',
  },
};

/**
 * Joins what a token says of its rights with what the project has under the name that it gives. A plain value where that is
 * in memory; the same objects come together as the same mandate.
 */
export function createUserRights(findMandate: NamedMandates['find']) {
  const joined = new WeakMap<TokenRights, { readonly named: ReadyMandate; readonly mandate: UserMandate }>();

  function join(rights: TokenRights, named: ReadyMandate): UserMandate {
    const known = joined.get(rights);
    if (known?.named === named) return known.mandate;
    const mandate = joinNamed(rights, named);
    joined.set(rights, { named, mandate });
    return mandate;
  }

  return (
    { projectId, subject, membership, rights }: Token,
    isRequired: boolean,
  ): VerifiedUser | Promise<VerifiedUser> => {
    if (rights === undefined)
      return { projectId, subject, membership, mandate: isRequired ? REQUIRED : undefined };
    const { mandate, mandateId, actors } = rights;
    const base = { projectId, subject, membership, actors: actors.length === 0 ? undefined : actors };
    if (mandate?.refusal !== undefined) return { ...base, mandate };
    if (mandateId === undefined) return { ...base, mandate: mandate ?? (isRequired ? REQUIRED : undefined) };
    const named = findMandate(projectId, mandateId);
    if (named instanceof Promise) return named.then((found) => ({ ...base, mandate: join(rights, found) }));
    return { ...base, mandate: join(rights, named) };
  };
}

function joinNamed({ mandate: own, mandateId = '' }: TokenRights, named: ReadyMandate): UserMandate {
  const ids = [mandateId, ...(own?.ids ?? [])];
  if (named.refusal !== undefined) return { ids, parts: [], refusal: named.refusal };
  return { ids, parts: [named.part, ...(own?.parts ?? [])] };
}
