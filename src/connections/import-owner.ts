import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { isReservedUserId, operatorSubject } from '../projects/texts.schema.ts';
import type { ImportConnection } from './connections.schema.ts';

type Importer = Exclude<Principal, { kind: 'end_user' }>;
type Named = Pick<ImportConnection, 'userId' | 'owner' | 'organizationId'>;

/** Whose an imported connection is, by the application's own ids. */
export type ImportOwner = {
  /** Of the owner, or of who connected it for the organization; undefined: not known. */
  readonly userId: string | undefined;
  readonly organization: string | undefined;
};

/** Reads whose an import is. Throws `invalid_request` where that is not clear, or where the id is reserved. */
export function readImportOwner(principal: Importer, body: Named): ImportOwner {
  const found = judge(body);
  assertUserId(principal, found.userId);
  return found;
}

function judge({ userId, owner, organizationId }: Named): ImportOwner {
  const { type, id } = typeof owner === 'string' ? { type: owner, id: undefined } : (owner ?? {});
  if (type === 'organization') {
    const organization = id ?? organizationId;
    if (organization === undefined)
      throw refuse('organizationId', 'required for an organization’s connection');
    if (organizationId !== undefined && organizationId !== organization)
      throw refuse('organizationId', 'is not the id of the owner');
    return { userId, organization };
  }
  if (organizationId !== undefined) throw refuse('organizationId', 'only with `owner: "organization"`');
  const user = id ?? userId;
  if (user === undefined) throw refuse('userId', 'required for a user’s connection');
  if (userId !== undefined && userId !== user) throw refuse('userId', 'is not the id of the owner');
  return { userId: user, organization: undefined };
}

/** Test connections of operators stand under ids of their own, which no other principal may import. */
function assertUserId(principal: Importer, userId: string | undefined): void {
  if (userId === undefined) return;
  const isOwn = principal.kind === 'operator' && userId === operatorSubject(principal.operatorId);
  if (!isReservedUserId(userId) || isOwn) return;
  throw refuse('userId', 'Ids of this form are reserved for operators’ test connections');
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `body.${member}`, message }] });
}
