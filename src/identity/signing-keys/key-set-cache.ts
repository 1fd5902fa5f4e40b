import { createAnnouncedCache, type Found } from '../../platform/announced-cache.ts';
import type { Log } from '../../platform/logger.ts';
import {
  buildRevocations,
  ERASED_USER_PREFIX,
  type NameErased,
  NO_REVOCATIONS,
  type Revocations,
  type StoredRevocation,
} from '../revocations/revocations.ts';
import { isUserTokenAlgorithm } from '../user-jwt/user-jwt.ts';
import type { UserTokenAlgorithm, VerificationKey } from '../user-jwt/verification-key.ts';
import type { JwksSource } from './jwks.ts';
import { keyFault, keyOfPem } from './key-material.ts';

/** A live signing key of a project as it is stored. */
export type StoredKey = {
  readonly id: string;
  readonly kid: string;
  readonly kind: 'managed' | 'public_key' | 'jwks';
  readonly alg: UserTokenAlgorithm | null;
  readonly publicKeyPem: string | null;
  readonly jwksUrl: string | null;
  readonly issuer: string | null;
  readonly audience: string | null;
};

export type StoredKeys = {
  readonly keys: readonly StoredKey[];
  /** Changes with every change of the project's revocations. */
  readonly revocationsVersion: number;
  readonly requireMandate?: boolean;
};

/** Everything that decides about tokens of one project. */
export type KeySet = {
  readonly keys: readonly VerificationKey[];
  readonly sources: readonly JwksSource[];
  readonly revocations: Revocations;
  /** The project takes no token without a mandate. */
  readonly requiresMandate: boolean;
};

/** `null` stands for a project that does not exist. */
export type FoundKeySet = Found<KeySet>;

export type KeySetCacheDependencies = {
  /** Undefined: there is no such project. `caller` is who had the keys loaded first, if it was a call. */
  loadProjectKeys(projectId: string, caller: string | undefined): Promise<StoredKeys | undefined>;
  loadRevocations(projectId: string): Promise<readonly StoredRevocation[]>;
  /** What names erased users in revocations of the project; asked only where one of them does. */
  findNameErased?(projectId: string): Promise<NameErased | undefined>;
  now(): number;
  log: Pick<Log, 'error'>;
};

const PROJECTS_MAX = 5_000;

/** The keys and revocations of projects, in memory. */
export function createKeySetCache(deps: KeySetCacheDependencies) {
  const { log } = deps;
  return createAnnouncedCache<KeySet, string | undefined>({
    now: deps.now,
    entriesMax: PROJECTS_MAX,
    async load(projectId, caller, held) {
      const stored = await deps.loadProjectKeys(projectId, caller);
      if (stored === undefined) return undefined;
      const { revocationsVersion: version } = stored;
      const revocations = await currentRevocations(projectId, version, held?.revocations ?? NO_REVOCATIONS);
      const requiresMandate = stored.requireMandate ?? false;
      return { ...keysOf(projectId, stored.keys, log), revocations, requiresMandate };
    },
    onBackgroundError(error, projectId) {
      log.error({ err: error, projectId }, 'The signing keys of a project could not be read');
    },
  });

  /** The same object for the same version, so that a verified token is compared with it once. */
  async function currentRevocations(
    projectId: string,
    version: number,
    held: Revocations,
  ): Promise<Revocations> {
    if (version === held.version) return held;
    const stored = await deps.loadRevocations(projectId);
    const namesErased = stored.some(({ subject }) => subject?.startsWith(ERASED_USER_PREFIX));
    return buildRevocations(
      version,
      stored,
      namesErased ? await deps.findNameErased?.(projectId) : undefined,
    );
  }
}

function keysOf(
  projectId: string,
  stored: readonly StoredKey[],
  log: Pick<Log, 'error'>,
): Pick<KeySet, 'keys' | 'sources'> {
  const keys: VerificationKey[] = [];
  const sources: JwksSource[] = [];
  for (const entry of stored) {
    const { id: signingKeyId, jwksUrl: url, issuer, audience } = entry;
    const key = entry.kind === 'jwks' ? undefined : verificationKeyOf(entry);
    if (key) keys.push(key);
    else if (entry.kind === 'jwks' && url !== null) {
      sources.push({ projectId, signingKeyId, url, issuer, audience });
    } else log.error({ projectId, signingKeyId }, 'A stored signing key is unusable');
  }
  return { keys, sources };
}

/** Parsed once: a text that is no key must never reach the signature check, where it could pass for a shared secret. */
function verificationKeyOf(stored: StoredKey): VerificationKey | undefined {
  const { id, kid, issuer, audience } = stored;
  const alg = stored.alg ?? (stored.kind === 'managed' ? 'ES256' : null);
  const key = keyOfPem(stored.publicKeyPem);
  if (!key || !isUserTokenAlgorithm(alg) || keyFault(key, alg)) return undefined;
  const identity = [id, alg, kid, issuer ?? '', audience ?? ''].join('\n');
  return { identity, kid, alg, key, issuer, audience, isManaged: stored.kind === 'managed' };
}
