import type { Actor, ProjectChange } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import type { ProjectsStore } from '../../projects/projects.store.ts';
import { generateManagedKey, parsePublicKey } from './key-material.ts';
import {
  createSigningKeyBody,
  type SigningKeyBody,
  signingKeyList,
  signingKeyParams,
  signingKeySchema,
  signingKeysQuery,
  toSigningKeyWire,
} from './signing-keys.schema.ts';
import {
  LIVE_SIGNING_KEYS_MAX,
  type NewSigningKey,
  type SigningKey,
  type SigningKeysStore,
} from './signing-keys.store.ts';

type SigningKeysDependencies = {
  db: Db;
  access: Access;
  projects: ProjectsStore;
  signingKeys: SigningKeysStore;
  recordActivity: RecordActivity;
  /** Lets JWKS URLs be plain http. */
  allowPrivateNetworks: boolean;
};

const TAG = 'Projects';

/** The keys that user tokens are verified with. Operators only: the holder of a key can impersonate any end user. */
export function createSigningKeysEndpoints(deps: SigningKeysDependencies): Endpoint[] {
  return [listSigningKeys(deps), createSigningKey(deps), revokeSigningKey(deps)];
}

function listSigningKeys({ access, signingKeys }: SigningKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'listSigningKeys',
    method: 'get',
    path: '/projects/{projectId}/signing-keys',
    summary: 'List the signing keys of a project',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'viewer',
    params: projectParams,
    query: signingKeysQuery,
    success: { status: 200, schema: signingKeyList, description: 'Live keys, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        signingKeys.list({ projectId, ...window }),
      );
      return { body: { signingKeys: items.map(toSigningKeyWire), nextCursor } };
    },
  });
}

function createSigningKey(deps: SigningKeysDependencies): Endpoint {
  const { access, db, recordActivity } = deps;
  return endpoint({
    operationId: 'createSigningKey',
    method: 'post',
    path: '/projects/{projectId}/signing-keys',
    summary: 'Add a signing key',
    description:
      'A public key whose private half your application signs user tokens with; the JWKS URL of your identity provider; or one more key that the gateway holds for minting.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: projectParams,
    body: createSigningKeyBody(deps),
    requestExample: {
      jwksUrl: 'https://id.example.com/.well-known/jwks.json',
      issuer: 'https://id.example.com/',
    },
    success: { status: 201, schema: signingKeySchema, description: 'The key' },
    errors: ['project_not_found', 'signing_key_invalid', 'signing_key_limit'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      const key = newKeyFrom(body);
      return commitReply(db, async (trx) => {
        const inserted = await addKey(deps, trx, projectId, { ...key, createdBy: principal.operatorId });
        await recordActivity(trx, changeOf(inserted, principal, 'signing_key.created'));
        return { body: toSigningKeyWire(inserted) };
      });
    },
  });
}

function revokeSigningKey({ access, db, signingKeys, recordActivity }: SigningKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'revokeSigningKey',
    method: 'delete',
    path: '/projects/{projectId}/signing-keys/{id}',
    summary: 'Revoke a signing key',
    description: 'Tokens signed with it are refused at once.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: signingKeyParams,
    success: { status: 204, description: 'Revoked' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      await db.transaction(async (trx) => {
        const key = await signingKeys.revoke(trx, projectId, id);
        if (key === undefined) throw new HttpError('not_found');
        await recordActivity(trx, changeOf(key, principal, 'signing_key.revoked'));
      });
      return {};
    },
  });
}

/** Adds a key if there is room. The lock on the project makes additions at the same time count each other. */
async function addKey(
  { projects, signingKeys }: SigningKeysDependencies,
  trx: Db,
  projectId: string,
  key: NewSigningKey,
): Promise<SigningKey> {
  if ((await projects.lock(trx, projectId)) === undefined) throw new HttpError('project_not_found');
  if ((await signingKeys.countLive(trx, projectId)) >= LIVE_SIGNING_KEYS_MAX) {
    throw new HttpError('signing_key_limit', {
      detail: `A project may have ${LIVE_SIGNING_KEYS_MAX} live signing keys.`,
    });
  }
  const inserted = await signingKeys.insert(trx, projectId, key);
  if (inserted === undefined) {
    throw new HttpError('signing_key_invalid', {
      detail: 'A live signing key of this project has the same `kid`, or is the same key.',
    });
  }
  return inserted;
}

function newKeyFrom(body: SigningKeyBody): NewSigningKey {
  if ('managed' in body) return { kind: 'managed', alg: 'ES256', ...generateManagedKey() };
  if ('jwksUrl' in body) return { kind: 'jwks', ...body };
  const parsed = parsePublicKey(body);
  if (!parsed.ok) throw new HttpError('signing_key_invalid', { detail: parsed.message });
  return {
    kind: 'public_key',
    kid: body.kid ?? parsed.kid,
    alg: parsed.alg,
    publicKeyPem: parsed.pem,
    issuer: body.issuer,
  };
}

function changeOf(
  key: SigningKey,
  actor: Actor,
  action: 'signing_key.created' | 'signing_key.revoked',
): ProjectChange {
  const { id, projectId, kid, kind, alg, issuer, jwksUrl } = key;
  return { projectId, actor, action, subjectId: id, details: { kid, kind, alg, issuer, jwksUrl } };
}
