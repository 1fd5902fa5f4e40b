import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kms } from '../../../src/platform/kms/kms.ts';
import { openKms } from '../../../src/platform/kms/open-kms.ts';
import { kmsFrom } from '../../../src/settings/kms.ts';
import { startAwsKms, startAzureKeyVault, startGcpKms, startVault } from '../../support/kms-services.ts';

export const ARN = 'arn:aws:kms:eu-central-1:123456789012:key/0f8fad5b-d9cb-469f-a165-70867728950e';
export const RESOURCE = 'projects/p-1/locations/europe-west3/keyRings/gateway/cryptoKeys/kek';
export const AWS_KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'aws/secret+key',
  sessionToken: 'aws-session-token',
};

type Variables = Readonly<Record<string, string>>;

/** The service of one ENCRYPTION_KMS, as the settings name it. */
export function open(entry: string, variables: Variables): Kms {
  const settings = kmsFrom({ ENCRYPTION_KMS: entry }, variables);
  if (settings === undefined) throw new Error('ENCRYPTION_KMS is empty');
  return openKms(settings.keys[0], settings.variables);
}

/** All four services, each with the entries and variables that lead to it. */
export async function startServices() {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-kms-'));
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const aws = await startAwsKms(ARN, AWS_KEYS);
  const gcp = await startGcpKms(RESOURCE);
  const azure = await startAzureKeyVault('kek');
  const vault = await startVault('kek');
  const account = file('account.json', JSON.stringify(gcp.account));
  const awsVariables = {
    AWS_ENDPOINT_URL_KMS: aws.url,
    AWS_ACCESS_KEY_ID: AWS_KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: AWS_KEYS.secretAccessKey,
    AWS_SESSION_TOKEN: AWS_KEYS.sessionToken,
  };
  const gcpVariables = {
    CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS: `${gcp.url}/`,
    GOOGLE_APPLICATION_CREDENTIALS: account,
  };
  const azureVariables = {
    AZURE_AUTHORITY_HOST: azure.url,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_CLIENT_SECRET: azure.secret,
  };
  return {
    services: { aws, gcp, azure, vault },
    file,
    entries: {
      aws: { entry: `aws-kms:${ARN}`, variables: awsVariables as Variables },
      gcp: { entry: `gcp-kms:${RESOURCE}`, variables: gcpVariables as Variables },
      azure: { entry: `azure-key-vault:${azure.url}/keys/kek`, variables: azureVariables as Variables },
      vault: {
        entry: 'vault-transit:transit/kek',
        variables: { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.tokens.now } as Variables,
      },
    },
    async close() {
      for (const server of [aws, gcp, azure, vault]) await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
