import type { Adapter, ArtifactPayload } from 'oidc-provider';
import { findUserById } from './hubs.ts';

/** A registered OAuth client of the CRM (RFC 6749, section 2). */
export type DemoCrmClient = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Shown on the consent page. */
  readonly name?: string;
};

export type OAuthStore = ReturnType<typeof createOAuthStore>;

/** Expired artifacts stay this long, so that the API can tell an expired access token from an unknown one. */
const RETENTION_SECONDS = 24 * 60 * 60;

/**
 * Everything the authorization server remembers, in memory: one map per oidc-provider model.
 * `adapter` is what oidc-provider asks for; the other functions are for the CRM's API and for tests.
 */
export function createOAuthStore({ clients }: { clients: readonly DemoCrmClient[] }) {
  const models = new Map<string, Map<string, ArtifactPayload>>();
  const clientsById = new Map(clients.map((client) => [client.clientId, client]));

  function entriesOf(model: string): Map<string, ArtifactPayload> {
    const existing = models.get(model);
    if (existing) return existing;
    const created = new Map<string, ArtifactPayload>();
    models.set(model, created);
    return created;
  }

  return {
    adapter: (model: string): Adapter =>
      model === 'Client'
        ? createClientAdapter(clientsById, entriesOf(model))
        : createMapAdapter(entriesOf(model)),

    addClient: (client: DemoCrmClient): void => {
      clientsById.set(client.clientId, client);
    },
    client: (clientId: string): DemoCrmClient | undefined => clientsById.get(clientId),

    /** Whether somebody of the hub has connected the app, and nobody has removed it since. */
    isInstalled: (clientId: string, hubId: number): boolean =>
      [...entriesOf('Grant').values()].some(
        (grant) => grant.clientId === clientId && findUserById(grant.accountId ?? '')?.hub.id === hubId,
      ),
    clients: (): readonly DemoCrmClient[] => [...clientsById.values()],

    accessToken: (value: string): ArtifactPayload | undefined => entriesOf('AccessToken').get(value),
    refreshToken: (value: string): ArtifactPayload | undefined => entriesOf('RefreshToken').get(value),

    /** Ends the lifetime of every access token issued so far. Returns how many were still alive. */
    expireAccessTokens: (): number => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      let expired = 0;
      for (const payload of entriesOf('AccessToken').values()) {
        if ((payload.exp ?? 0) <= nowSeconds) continue;
        payload.exp = nowSeconds - 1;
        expired += 1;
      }
      return expired;
    },

    /** Forgets grants and all their codes and tokens, as if the user had removed the app. Returns the number of grants. */
    revokeGrants: (ofAccount: (accountId: string) => boolean = () => true): number => {
      let revoked = 0;
      for (const model of ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode']) {
        for (const [id, payload] of entriesOf(model)) {
          if (!ofAccount(payload.accountId ?? '')) continue;
          entriesOf(model).delete(id);
          if (model === 'Grant') revoked += 1;
        }
      }
      return revoked;
    },
  };
}

function createMapAdapter(entries: Map<string, ArtifactPayload>): Adapter {
  const findBy = async (member: 'uid' | 'userCode', value: string) =>
    [...entries.values()].find((payload) => payload[member] === value);

  return {
    upsert: async (id, payload) => {
      entries.set(id, payload);
      forgetOldest(entries);
    },
    find: async (id) => entries.get(id),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    consume: async (id) => {
      const payload = entries.get(id);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      entries.delete(id);
    },
    revokeByGrantId: async (grantId) => {
      for (const [id, payload] of entries) {
        if (payload.grantId === grantId) entries.delete(id);
      }
    },
  };
}

/** Maps keep insertion order, so whatever can go stands at the front. */
function forgetOldest(entries: Map<string, ArtifactPayload>): void {
  const horizonSeconds = Math.floor(Date.now() / 1000) - RETENTION_SECONDS;
  for (const [id, payload] of entries) {
    if (payload.exp === undefined || payload.exp > horizonSeconds) return;
    entries.delete(id);
  }
}

/** Clients are read on every request, so that one can be registered while the server runs. */
function createClientAdapter(
  clientsById: ReadonlyMap<string, DemoCrmClient>,
  entries: Map<string, ArtifactPayload>,
): Adapter {
  return {
    ...createMapAdapter(entries),
    find: async (clientId) => {
      const client = clientsById.get(clientId);
      if (!client) return undefined;
      return {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        client_name: client.name ?? client.clientId,
        redirect_uris: [...client.redirectUris],
      };
    },
  };
}
