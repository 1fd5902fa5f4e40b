import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import type { Log } from '../platform/logger.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { JwksSource } from './jwks.ts';
import { keyFault, keyOfPem } from './key-material.ts';
import { isUserTokenAlgorithm, type UserTokenAlgorithm, type VerificationKey } from './user-jwt.ts';

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

/** Everything that may verify tokens of one project. */
export type KeySet = {
  readonly keys: readonly VerificationKey[];
  readonly sources: readonly JwksSource[];
};

/** `null` stands for a project that does not exist. */
export type FoundKeySet = KeySet | null;

const PROJECTS_MAX = 5000;
const UNKNOWN_PROJECTS_MAX = 1000;
const UNKNOWN_MS = 5000;
const FRESH_MS = 30_000;
/** How long past FRESH_MS a busy project is served while its keys are read anew. */
const BACKGROUND_MS = 30_000;
const RETRY_MS = 1000;

type Held = { readonly set: KeySet; freshUntil: number; usableUntil: number };

/**
 * The keys of projects, in memory: until a change is announced (`invalidate`), and no longer than about 30 s lest an
 * announcement was lost. When the store cannot be reached, what is held goes on, except what is known to have changed.
 */
export function createKeySetCache(deps: {
  loadProjectKeys(projectId: string): Promise<readonly StoredKey[] | undefined>;
  now(): number;
  log: Pick<Log, 'error'>;
}) {
  const { now, log } = deps;
  const projects = new LRUCache<string, Held>({ max: PROJECTS_MAX });
  const unknownUntil = new LRUCache<string, number>({ max: UNKNOWN_PROJECTS_MAX });
  /** A load that an invalidation overtook is taken out of here, and its outcome is not kept. */
  const loads = new Map<string, Promise<FoundKeySet>>();

  function keep(projectId: string, set: FoundKeySet): void {
    if (set === null) {
      projects.delete(projectId);
      unknownUntil.set(projectId, now() + UNKNOWN_MS);
      return;
    }
    const freshUntil = now() + FRESH_MS;
    projects.set(projectId, { set, freshUntil, usableUntil: freshUntil + BACKGROUND_MS });
  }

  function load(projectId: string): Promise<FoundKeySet> {
    const running = loads.get(projectId);
    if (running) return running;
    const isCurrent = () => loads.get(projectId) === started;
    const started: Promise<FoundKeySet> = read(projectId)
      .then((set) => {
        if (isCurrent()) keep(projectId, set);
        return set;
      })
      .catch((error: unknown) => staleOrThrow(projectId, error))
      .finally(() => {
        if (isCurrent()) loads.delete(projectId);
      });
    loads.set(projectId, started);
    return started;
  }

  async function read(projectId: string): Promise<FoundKeySet> {
    const stored = await deps.loadProjectKeys(projectId);
    return stored ? keySetOf(projectId, stored, log) : null;
  }

  function staleOrThrow(projectId: string, error: unknown): KeySet {
    if (!isTransientStoreError(error)) throw error;
    const held = projects.get(projectId);
    if (!held) throw new HttpError('store_unavailable', { cause: error });
    held.freshUntil = now() + RETRY_MS;
    held.usableUntil = now() + BACKGROUND_MS;
    return held.set;
  }

  return {
    /** The keys at hand; undefined when they must be loaded first. Never waits; may load in the background. */
    current(projectId: string): FoundKeySet | undefined {
      const held = projects.get(projectId);
      if (!held) return (unknownUntil.get(projectId) ?? 0) > now() ? null : undefined;
      if (now() < held.freshUntil) return held.set;
      if (now() >= held.usableUntil) return undefined;
      load(projectId).catch((error: unknown) => {
        log.error({ err: error, projectId }, 'The signing keys of a project could not be read');
      });
      return held.set;
    },

    /** The keys from the store. Rejects with HttpError `store_unavailable` when it is away and none are held. */
    load,

    /** Something about the project's keys changed: nothing that was read before counts any more. */
    invalidate(projectId: string): void {
      loads.delete(projectId);
      projects.delete(projectId);
      unknownUntil.delete(projectId);
    },

    /** Announcements may have been lost: everything is read anew, and serves on only while the store is away. */
    distrustAll(): void {
      loads.clear();
      unknownUntil.clear();
      for (const held of projects.values()) {
        held.freshUntil = Number.NEGATIVE_INFINITY;
        held.usableUntil = Number.NEGATIVE_INFINITY;
      }
    },
  };
}

function keySetOf(projectId: string, stored: readonly StoredKey[], log: Pick<Log, 'error'>): KeySet {
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
  return { identity, kid, alg, key, issuer, audience };
}
