import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import type { DiscoveryFault } from '../../oauth/discover.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** Why there is no authorization server, or no client of the gateway at it. */
export type ServerFault =
  | DiscoveryFault
  | 'address_unknown'
  | 'client_missing'
  | 'authorization_server_changed'
  | 'registration_unsupported'
  | 'registration_refused';

/** True where a token endpoint answered that it does not know the client. */
export function isClientUnknown({
  kind,
  errorCode,
}: {
  readonly kind: string;
  readonly errorCode: string;
}): boolean {
  return kind === 'client' && errorCode === 'invalid_client';
}

/** Writes down that an authorization server refuses the client that it had registered. */
export function createNoteRefusal({
  db,
  integrations,
  now,
  log,
}: {
  db: Db;
  integrations: Pick<IntegrationsStore, 'find' | 'setAuthorizationServer'>;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  /**
   * After a refusal of the client: where the server itself had registered it, it has forgotten it, and the next
   * authorization registers another. True where that is so: grants of the forgotten client are dead.
   */
  return async function noteRefusal(
    integrationId: string,
    projectId: string,
    failure: { readonly kind: string; readonly errorCode: string },
  ): Promise<boolean> {
    if (!isClientUnknown(failure)) return false;
    const current = await integrations.find(db, integrationId, [projectId]);
    const server = current?.authorizationServer;
    if (!current || !server?.client || server.client.by !== 'registration') return false;
    if (server.client.refusedAt === null) {
      const refusedAt = new Date(now()).toISOString();
      await integrations.setAuthorizationServer(db, current, {
        ...server,
        client: { ...server.client, refusedAt },
      });
      log.warn(
        { integrationId, issuer: server.issuer },
        'an authorization server forgot the client of the gateway',
      );
    }
    return true;
  };
}
