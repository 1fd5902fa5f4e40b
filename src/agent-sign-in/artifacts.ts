import type { Adapter, ArtifactPayload } from 'oidc-provider';
import { z } from 'zod';
import { isUuid } from '../lib/ids.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import type { Kit } from '../platform/kit.ts';
import type { SealContext } from '../platform/vault.ts';
import { readAccountId } from './account-id.ts';
import type { Addresses } from './addresses.ts';
import type { ArtifactsStore } from './artifacts.store.ts';

/** What the store has under a code, a token or an interaction; nothing that could be used stands there. */
export function artifactId(kind: string, name: string): string {
  return sha256(`${kind} ${name}`).toString('base64url');
}

const payloadSchema = z.looseObject({});

export type AdapterDependencies = Pick<Kit, 'db' | 'vault'> & {
  readonly artifacts: ArtifactsStore;
  readonly addresses: Pick<Addresses, 'readResource'>;
  /** The client has shown that it, or a thief, repeats what may be used once; or it wants to be forgotten. */
  endConsent(consentId: string): Promise<void>;
  /** A client that has registered itself. */
  findClient(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The error of the library for what may not be used again. */
  refuseSpent(): Error;
};

/** Keeps what oidc-provider remembers. Its sessions are not kept: each sign-in is for one project, one client, one time. */
export function createAdapters(deps: AdapterDependencies): (kind: string) => Adapter {
  return (kind) => {
    if (kind === 'Client') return { ...FORGETFUL, find: deps.findClient };
    return kind === 'Session' ? FORGETFUL : createAdapter(kind, deps);
  };
}

const FORGETFUL: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

function createAdapter(kind: string, deps: AdapterDependencies): Adapter {
  const { db, vault, artifacts } = deps;
  const idOf = (name: string) => artifactId(kind, name);
  const hasGrace = kind === REFRESH_TOKEN;

  return {
    ...FORGETFUL,

    async upsert(name, payload, expiresInSeconds) {
      const id = idOf(name);
      const projectId = projectOf(payload, deps.addresses);
      if (projectId === undefined) throw new Error(`an artifact of no project: ${kind}`);
      const consentId = kind === 'Grant' ? name : payload.grantId;
      const payloadSealed = vault.seal(JSON.stringify(payload), contextOf(id, projectId));
      await artifacts.upsert(
        db,
        {
          id,
          projectId,
          consentId: isUuid(consentId ?? '') ? (consentId ?? null) : null,
          kind,
          payloadSealed,
        },
        expiresInSeconds,
      );
      if (kind === 'AccessToken' && consentId !== undefined) await artifacts.noteUse(db, consentId);
    },

    async find(name) {
      const id = idOf(name);
      const found = await artifacts.findOfAnyProject(db, id);
      if (found === undefined) return undefined;
      const payload = payloadSchema.parse(
        JSON.parse(vault.open(found.payloadSealed, contextOf(id, found.projectId))),
      );
      if (found.consumedAt === null || (hasGrace && found.isInGrace)) return payload;
      return { ...payload, consumed: Math.floor(found.consumedAt.getTime() / 1000) };
    },

    async consume(name) {
      if (!(await artifacts.consume(db, idOf(name), { hasGrace }))) throw deps.refuseSpent();
    },

    destroy: (name) => artifacts.remove(db, idOf(name)),

    revokeByGrantId: (grantId) => deps.endConsent(grantId),
  };
}

const REFRESH_TOKEN = 'RefreshToken';

/**
 * The refresh token that takes the place of a spent one: of all that were made of it, by requests that came at the same
 * time or again within the grace, the first. So there is one at a time, and a client that comes later with a spent one shows
 * that two have it.
 */
export async function agreeOnSuccessor(
  { db, vault, artifacts }: Pick<AdapterDependencies, 'db' | 'vault' | 'artifacts'>,
  spent: string,
  made: string,
): Promise<string> {
  const id = artifactId(REFRESH_TOKEN, spent);
  const context = (projectId: string) => contextOf(id, projectId, 'successor_sealed');
  const kept = await artifacts.keepSuccessor(db, id, (projectId) => vault.seal(made, context(projectId)));
  // The consent has ended meanwhile, and what was made with it.
  if (kept === undefined) return made;
  const successor = vault.open(kept.successorSealed, context(kept.projectId));
  if (successor !== made) await artifacts.remove(db, artifactId(REFRESH_TOKEN, made));
  return successor;
}

function contextOf(
  rowId: string,
  projectId: string,
  column: 'payload_sealed' | 'successor_sealed' = 'payload_sealed',
): SealContext {
  return { table: 'agent_artifacts', column, rowId, projectId };
}

/** Whose it is: of the person, or while it is not known who that is, of the resource that the client asked for. */
function projectOf(
  payload: ArtifactPayload,
  addresses: AdapterDependencies['addresses'],
): string | undefined {
  if (payload.accountId !== undefined) return readAccountId(payload.accountId)?.projectId;
  const { params } = payload;
  if (typeof params !== 'object' || params === null || !('resource' in params)) return undefined;
  return addresses.readResource(params.resource);
}
