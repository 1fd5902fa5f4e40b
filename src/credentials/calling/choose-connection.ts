import { HttpError } from '../../http/errors.ts';
import { buildDisabledError } from '../../integrations/disabled-error.ts';
import type { ConnectionChoice, ResolvedConnection } from '../../proxy/contract.ts';
import type { NamedConnection, TooMany } from './user-connections.store.ts';
import type { WarmConnection } from './warm-connection.ts';

/** The connections of a user, or of an organization, to one provider, in memory. */
export type UserEntry = {
  readonly projectId: string;
  /** Of the owner; null while the store does not know it. */
  readonly endUserId: string | null;
  readonly integrationIds: readonly string[];
  /** None where there are too many: one that a call names is then an entry of its own. */
  readonly connections: readonly WarmConnection[];
  readonly tooMany: TooMany | undefined;
};

type ResolvedNames = Pick<ResolvedConnection, 'connectionId' | 'integrationId'>;

/**
 * The connection that the call's headers choose. Throws `*_not_found` where there is none, `connection_ambiguous` where
 * there are several.
 */
export function choose(entry: UserEntry, choice: ConnectionChoice): WarmConnection {
  const { connections, tooMany } = entry;
  const only = connections[0];
  if (connections.length === 1 && !choice.connectionId && !choice.integrationId && only !== undefined)
    return only;
  const { connectionId, integrationId } = choice;
  if (integrationId !== undefined && !entry.integrationIds.includes(integrationId.toLowerCase())) {
    throw new HttpError('integration_not_found');
  }
  if (tooMany !== undefined) throw ambiguousError(tooMany);
  const candidates = connections.filter(({ resolved }) => isNamed(resolved, { connectionId, integrationId }));
  const [first, second] = candidates;
  if (first === undefined) throw new HttpError('connection_not_found');
  if (second !== undefined) {
    const connectionIds = candidates.map(({ resolved }) => resolved.connectionId);
    throw ambiguousError({ connectionIds, connectionCount: connectionIds.length });
  }
  return first;
}

/** True where nothing of the entry could be meant, as far as memory knows. */
export function hasNone(
  { connections, tooMany }: UserEntry,
  { connectionId, integrationId }: NamedConnection,
): boolean {
  if (tooMany !== undefined) return false;
  if (connections.length === 0) return true;
  if (connectionId === undefined && integrationId === undefined) return false;
  return !connections.some(({ resolved }) => isNamed(resolved, { connectionId, integrationId }));
}

function isNamed(resolved: ResolvedNames, { connectionId, integrationId }: NamedConnection): boolean {
  return (
    (connectionId === undefined || resolved.connectionId === connectionId.toLowerCase()) &&
    (integrationId === undefined || resolved.integrationId === integrationId.toLowerCase())
  );
}

function ambiguousError({ connectionIds, connectionCount }: TooMany): HttpError {
  return new HttpError('connection_ambiguous', { extra: { connectionIds, connectionCount } });
}

/** Whether the refusal says that there is no such connection. */
export function isNotFound(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'connection_not_found';
}

/** The one refusal that may be given from memory: another connection leaves it, and of one that is gone the cache hears. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'connection_ambiguous';
}

export function isNaming({ connectionId, integrationId }: NamedConnection): boolean {
  return connectionId !== undefined || integrationId !== undefined;
}

export function requireActive({ status, resolved, disabledReason = '' }: WarmConnection): ResolvedConnection {
  if (status === 'active') return resolved;
  if (status === 'disabled') throw buildDisabledError({ id: resolved.integrationId, reason: disabledReason });
  throw new HttpError('reauthorization_required', { extra: { connectionId: resolved.connectionId } });
}
