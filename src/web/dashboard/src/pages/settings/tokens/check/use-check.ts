import { useMutation } from '@tanstack/react-query';
import { api } from '../../../../api/queries.ts';
import { useProjectId } from '../../../../app/project.ts';
import { isAlgorithm } from '../guess-algorithm.ts';
import type { SigningKey } from '../signing-key.ts';
import type { CheckKey } from './check-signature.ts';
import { checkToken } from './check-token.ts';

/** Checks a token with the project's keys. The token stays here: what is asked for are keys and the time. */
export function useCheck(signingKeys: readonly SigningKey[]) {
  const projectId = useProjectId();
  return useMutation({
    mutationFn: async (pasted: string) => {
      const [{ keys, missing }, nowMs] = await Promise.all([
        readKeys(signingKeys, projectId),
        readGatewayTime(),
      ]);
      const lines = await checkToken(pasted, keys, { projectId, nowMs });
      return { lines, missing, clockMs: nowMs - Date.now() };
    },
    gcTime: 0,
  });
}

/** The keys at hand, and the addresses of key sets that could not be had. */
async function readKeys(signingKeys: readonly SigningKey[], projectId: string) {
  const sets = await Promise.all(signingKeys.map((key) => readKeysOf(key, projectId)));
  const missing = signingKeys.flatMap(({ jwksUrl }, index) => (sets[index] ? [] : (jwksUrl ?? [])));
  return { keys: sets.flatMap((keys) => keys ?? []), missing };
}

async function readKeysOf(key: SigningKey, projectId: string): Promise<CheckKey[] | undefined> {
  const { issuer, audience, jwksUrl } = key;
  const conditions = { issuer, audience, isManaged: key.kind === 'managed' };
  if (jwksUrl === null) return toCheckKeys(key, conditions);
  // By the gateway: a browser may not read the identity provider's address.
  const asked = { path: { projectId }, body: { jwksUrl } };
  const found = await api.post('/projects/{projectId}/signing-keys/test', asked).catch(() => undefined);
  return found?.keys.flatMap((it) => toCheckKeys(it, conditions));
}

function toCheckKeys(
  { kid, alg, publicKey }: Pick<SigningKey, 'publicKey'> & { kid: string | null; alg: string | null },
  conditions: Pick<CheckKey, 'issuer' | 'audience' | 'isManaged'>,
): CheckKey[] {
  return isAlgorithm(alg) && publicKey !== null ? [{ kid, alg, publicKey, ...conditions }] : [];
}

/** The gateway's clock judges; this computer's where it does not say. */
async function readGatewayTime(): Promise<number> {
  const answer = await fetch('/livez', { cache: 'no-store' }).catch(() => undefined);
  const time = Date.parse(answer?.headers.get('Date') ?? '');
  return Number.isNaN(time) ? Date.now() : time;
}
