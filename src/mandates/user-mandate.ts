import type { MandateEntry } from './mandate.schema.ts';
import type { Mandate } from './mandate.ts';

/** Calls an hour; `key` stands for what is counted, whichever token brings it. */
export type HourlyLimit = { readonly perHour: number; readonly key: string };

/** A list of entries that a token has to keep to. */
export type MandatePart = {
  /** Of a named mandate its id, of entries in the token their digest. */
  readonly id: string;
  /** Left out: it has none. */
  readonly name?: string | undefined;
  readonly mandate: Mandate;
  readonly entries: readonly MandateEntry[];
  /** It names no providers: what it allows, it allows at every one. */
  readonly isOfAnyProvider?: true;
  /** The reason that a refusal gives, where there is no mandate to look up. */
  readonly because?: string;
  /** For each entry. */
  readonly limits: readonly (readonly HourlyLimit[])[];
};

export type MandateRefusal = {
  readonly code: 'mandate_invalid' | 'mandate_denied' | 'mandate_frozen' | 'mandate_required';
  readonly detail: string;
};

const NAME_SHOWN_MAX = 60;

/** Which mandate it is, for the developer who reads a refusal. */
export function describePart({ id, name, because }: MandatePart): string {
  if (because !== undefined) return because;
  if (name === undefined) return `entries of the token itself, ${id}`;
  const characters = Array.from(name);
  const isLong = characters.length > NAME_SHOWN_MAX;
  return `mandate “${isLong ? `${characters.slice(0, NAME_SHOWN_MAX).join('')}…` : name}”, ${id}`;
}

/** What a user's token may do: each part, of `ids` in the same order, has to allow a call. `refusal` says why it may do nothing. */
export type UserMandate = {
  /** Of the named mandate and of the token's own entries, as far as there are any; also where they allow nothing. */
  readonly ids: readonly string[];
  readonly parts: readonly MandatePart[];
  readonly refusal?: MandateRefusal | undefined;
};

/** A mandate that both allow. The first one's parts stand first, so that records can tell them by their places. */
export function joinMandates(
  first: UserMandate | undefined,
  second: UserMandate | undefined,
): UserMandate | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    ids: [...first.ids, ...second.ids],
    parts: [...first.parts, ...second.parts],
    refusal: first.refusal ?? second.refusal,
  };
}

/** Who acts for the user (RFC 8693 section 4.1), as the token names them. */
export type Actor = { readonly id: string; readonly name?: string | undefined };
