import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, jsonBody } from './ask-service.ts';
import { readCredentialFile } from './credential-files.ts';
import { keepCredential, type ShortLived } from './kept-credential.ts';

/** A lease of 0 seconds has no end. */
const login = z
  .object({ auth: z.object({ client_token: z.string().min(1), lease_duration: z.number() }) })
  .transform(
    ({ auth }): ShortLived<string> => ({
      value: auth.client_token,
      expiresAtMs: auth.lease_duration === 0 ? undefined : Date.now() + auth.lease_duration * 1000,
    }),
  );

const KUBERNETES_TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';

type Input = {
  readonly outbound: Outbound;
  readonly variables: KmsVariables;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * The token of VAULT_TOKEN, of a log-in by AppRole or Kubernetes, or of a file: VAULT_TOKEN_FILE, which an agent renews and
 * which is read each time, else the one that `vault login` leaves.
 */
export function createVaultToken(input: Input): () => Promise<string> {
  const { variables } = input;
  const { VAULT_TOKEN: token, VAULT_ROLE_ID: roleId, VAULT_KUBERNETES_ROLE: role } = variables;
  if (token !== undefined) return async () => token;
  if (roleId !== undefined)
    return keepCredential(() =>
      logIn(input, 'approle', { role_id: roleId, secret_id: variables.VAULT_SECRET_ID ?? '' }),
    );
  if (role !== undefined)
    return keepCredential(async () => {
      const file = variables.VAULT_KUBERNETES_TOKEN_FILE ?? KUBERNETES_TOKEN_FILE;
      const jwt = await readCredentialFile('VAULT_KUBERNETES_TOKEN_FILE', file);
      return logIn(input, 'kubernetes', { role, jwt });
    });
  const file = variables.VAULT_TOKEN_FILE ?? join(homedir(), '.vault-token');
  return () => readCredentialFile('VAULT_TOKEN_FILE', file);
}

async function logIn(
  { outbound, variables, base, headers }: Input,
  method: 'approle' | 'kubernetes',
  input: object,
): Promise<ShortLived<string>> {
  const message = jsonBody(input);
  const url = `${base}/auth/${variables.VAULT_AUTH_MOUNT ?? method}/login`;
  return askJson(outbound, { ...message, url, headers: { ...message.headers, ...headers } }, login);
}
