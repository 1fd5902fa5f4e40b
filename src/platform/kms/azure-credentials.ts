import { z } from 'zod';
import type { KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, formBody, type Question } from './ask-service.ts';
import { readCredentialFile } from './credential-files.ts';
import { keepCredential, type ShortLived } from './kept-credential.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Managed identities say seconds as text. */
const accessToken = z
  .object({
    access_token: z.string().min(1),
    expires_in: z.union([z.string(), z.number()]).transform(Number),
  })
  .transform(
    (answer): ShortLived<string> => ({
      value: answer.access_token,
      expiresAtMs: Date.now() + answer.expires_in * 1000,
    }),
  );

type Input = { readonly outbound: Outbound; readonly variables: KmsVariables; readonly audience: string };

/**
 * An access token in the order of Azure's own clients: a client's secret, a workload identity (a file that Kubernetes
 * renews), the managed identity of an App Service, that of a machine.
 */
export function createAzureToken(input: Input): () => Promise<string> {
  return keepCredential(async () => askJson(input.outbound, await questionOf(input), accessToken));
}

async function questionOf({ variables, audience }: Input): Promise<Question> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: clientId, AZURE_CLIENT_SECRET: secret } = variables;
  const file = variables.AZURE_FEDERATED_TOKEN_FILE;
  if (tenant === undefined || clientId === undefined || (secret === undefined && file === undefined))
    return managedIdentity(variables, audience);
  const proof =
    secret === undefined
      ? {
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: await readCredentialFile('AZURE_FEDERATED_TOKEN_FILE', file ?? ''),
        }
      : { client_secret: secret };
  const authority = variables.AZURE_AUTHORITY_HOST ?? 'https://login.microsoftonline.com/';
  return {
    url: new URL(`/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, authority).href,
    ...formBody({
      grant_type: 'client_credentials',
      client_id: clientId,
      scope: `${audience}/.default`,
      ...proof,
    }),
  };
}

function managedIdentity(variables: KmsVariables, audience: string): Question {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header, AZURE_CLIENT_ID: clientId } = variables;
  const query = new URLSearchParams({
    'api-version': endpoint === undefined ? '2018-02-01' : '2019-08-01',
    resource: audience,
    ...(clientId !== undefined && { client_id: clientId }),
  });
  if (endpoint !== undefined)
    return { url: `${endpoint}?${query}`, headers: { 'X-IDENTITY-HEADER': header ?? '' } };
  const host = variables.AZURE_POD_IDENTITY_AUTHORITY_HOST ?? 'http://169.254.169.254';
  const url = new URL(`/metadata/identity/oauth2/token?${query}`, host).href;
  return { url, headers: { Metadata: 'true' } };
}
