import { HttpError } from '../../src/http/errors.ts';
import type { StoredRevocation } from '../../src/identity/revocations/revocations.ts';
import { generateManagedKey } from '../../src/identity/signing-keys/key-material.ts';
import { signUserToken } from '../../src/identity/user-jwt/user-jwt.ts';
import { createKeySets, type StoredKey } from '../../src/identity/verification/key-sets.ts';

/** What a project without mandates has under any name. */
export const NO_MANDATE = { refusal: { code: 'mandate_denied', detail: '' } } as const;

export const PROJECT = '0190b1e2-0000-7000-8000-0000000000aa';
export const OTHER = '0190b1e2-0000-7000-8000-0000000000bb';
export const START_MS = 1_800_000_000_000;
export const MINUTE_MS = 60_000;
/** The address of the caller, where a test is not about addresses. */
export const NETWORK = '192.0.2.1';
export const USER = { projectId: PROJECT, subject: 'user-1' };

type Managed = ReturnType<typeof generateManagedKey>;
export const first = generateManagedKey();
export const second = generateManagedKey();

export function stored(key: Managed, more: Partial<StoredKey> = {}): StoredKey {
  return {
    id: `row-${key.kid}`,
    kid: key.kid,
    kind: 'public_key',
    alg: 'ES256',
    publicKeyPem: key.publicKeyPem,
    jwksUrl: null,
    issuer: null,
    audience: null,
    ...more,
  };
}

/** A gateway's view of its store and of identity providers, with a clock and a store that can be steered. */
export function setUp(
  fetchJwks: (url: string) => Promise<unknown> = () => Promise.reject(new Error('no JWKS here')),
  { refusedPerNetworkPerMinute = 300 } = {},
) {
  const world = {
    nowMs: START_MS,
    projects: new Map<string, StoredKey[]>([[PROJECT, [stored(first)]]]),
    storeError: undefined as Error | undefined,
    loads: 0,
    /** The projects whose keys were read, in this order. */
    loaded: [] as string[],
    fetches: 0,
    /** Awaited by each load after it has read its answer. */
    gate: Promise.resolve(),
    /** By project; every change also needs another version. */
    revocations: new Map<string, { version: number; stored: StoredRevocation[] }>(),
    revocationLoads: 0,
    /** Why tokens were refused, as operators learn it. */
    refusals: [] as { projectId: string; fault: string; isSigned: boolean }[],
  };
  const created = createKeySets({
    loadProjectKeys: async (projectId) => {
      world.loads += 1;
      world.loaded.push(projectId);
      const keys = world.projects.get(projectId)?.slice();
      const revocationsVersion = world.revocations.get(projectId)?.version ?? 0;
      const error = world.storeError;
      await world.gate;
      if (error) throw error;
      return keys && { keys, revocationsVersion };
    },
    findMandate: () => NO_MANDATE,
    loadRevocations: async (projectId) => {
      world.revocationLoads += 1;
      return world.revocations.get(projectId)?.stored ?? [];
    },
    refusedPerNetworkPerMinute,
    heldRefusalsMax: 0,
    noteRefusedToken: (projectId, refusal) => world.refusals.push({ projectId, ...refusal }),
    elapsedMs: () => world.nowMs,
    fetchJwks: (url) => {
      world.fetches += 1;
      return fetchJwks(url);
    },
    now: () => world.nowMs,
    log: { warn: () => undefined, error: () => undefined },
  });
  const keySets = {
    ...created,
    verifyUserToken: (projectId: string, token: string, network = NETWORK) =>
      created.verifyUserToken(projectId, token, () => network),
    verifyManagementToken: (token: string, projectId?: string, network = NETWORK) =>
      created.verifyManagementToken(token, () => network, projectId),
  };
  const mint = (
    key = first,
    more: { subject?: string; projectId?: string; expiresInSeconds?: number } = {},
  ) =>
    signUserToken({
      ...key,
      projectId: PROJECT,
      subject: 'user-1',
      expiresInSeconds: 3600,
      now: world.nowMs,
      ...more,
    }).token;
  const verify = async (token: string, projectId = PROJECT, network = NETWORK) =>
    keySets.verifyUserToken(projectId, token, network);
  const isSync = (token: string) => !(keySets.verifyUserToken(PROJECT, token) instanceof Promise);
  return { world, keySets, mint, verify, isSync };
}

export async function readErrorCode(attempt: Promise<unknown>): Promise<string | undefined> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof HttpError ? error.code : error === undefined ? 'none' : String(error);
}

export const unreachable = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
