import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { ConnectionChoice, VerifiedUser } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

/** Which connection a call asks for. Throws for an id that is none. */
export function connectionChoice(
  target: ProxyTarget,
  fields: RequestFields,
  user: VerifiedUser,
): ConnectionChoice {
  const { gatewayConnection: connectionId, gatewayIntegration: integrationId } = fields;
  if (connectionId !== undefined && !isUuid(connectionId)) throw new HttpError('connection_not_found');
  if (integrationId !== undefined && !isUuid(integrationId)) throw new HttpError('integration_not_found');
  const { projectId, provider } = target;
  // Most calls name no connection.
  if (connectionId === undefined && integrationId === undefined) return { projectId, user, provider };
  return {
    projectId,
    user,
    provider,
    ...(connectionId !== undefined && { connectionId }),
    ...(integrationId !== undefined && { integrationId }),
  };
}
