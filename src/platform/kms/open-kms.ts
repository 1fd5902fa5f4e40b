import { readFileSync } from 'node:fs';
import type { KmsKey, KmsVariables } from '../../settings/kms.ts';
import { createOutbound } from '../outbound.ts';
import { createAwsKms } from './aws-kms.ts';
import { createAzureKeyVault } from './azure-key-vault.ts';
import { createGcpKms } from './gcp-kms.ts';
import { type Kms, KmsError } from './kms.ts';
import { createVaultTransit } from './vault-transit.ts';

/**
 * The service of one entry of ENCRYPTION_KMS. Its address comes from the operator alone, and is private more often than not
 * (Vault, the metadata of a machine): the guard of addresses that others chose does not apply. Throws KmsError where a
 * variable is missing.
 */
export function openKms(key: KmsKey, variables: KmsVariables): Kms {
  const ca = key.kind === 'vault-transit' ? readAuthority(variables.VAULT_CACERT) : undefined;
  const outbound = createOutbound({ allowPrivateNetworks: true, ...(ca !== undefined && { ca }) });
  const deps = { outbound, variables };
  switch (key.kind) {
    case 'aws-kms':
      return createAwsKms(key, deps);
    case 'gcp-kms':
      return createGcpKms(key, deps);
    case 'azure-key-vault':
      return createAzureKeyVault(key, deps);
    case 'vault-transit':
      return createVaultTransit(key, deps);
  }
}

function readAuthority(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new KmsError(`VAULT_CACERT: ${path} cannot be read`, { isTransient: false });
  }
}
