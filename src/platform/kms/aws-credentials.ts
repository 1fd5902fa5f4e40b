import { z } from 'zod';
import type { KmsVariables } from '../../settings/kms.ts';
import type { Outbound } from '../outbound.ts';
import { askJson, askText, formBody } from './ask-service.ts';
import { readCredentialFile } from './credential-files.ts';
import { keepCredential, type ShortLived } from './kept-credential.ts';
import { KmsError } from './kms.ts';

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** As containers' and instances' endpoints answer. */
const temporary = z
  .object({
    AccessKeyId: z.string().min(1),
    SecretAccessKey: z.string().min(1),
    Token: z.string().min(1),
    Expiration: z.iso.datetime({ offset: true }),
  })
  .transform(
    ({ AccessKeyId, SecretAccessKey, Token, Expiration }): ShortLived<AwsCredentials> => ({
      value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token },
      expiresAtMs: Date.parse(Expiration),
    }),
  );

/** As the security token service answers in JSON, where times are seconds. */
const assumedRole = z
  .object({
    AssumeRoleWithWebIdentityResponse: z.object({
      AssumeRoleWithWebIdentityResult: z.object({
        Credentials: z.object({
          AccessKeyId: z.string().min(1),
          SecretAccessKey: z.string().min(1),
          SessionToken: z.string().min(1),
          Expiration: z.number(),
        }),
      }),
    }),
  })
  .transform(({ AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: result } }) => {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = result.Credentials;
    return {
      value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
      expiresAtMs: Expiration * 1000,
    } satisfies ShortLived<AwsCredentials>;
  });

type Input = {
  readonly outbound: Outbound;
  readonly variables: KmsVariables;
  readonly region: string;
  readonly suffix: string;
};

/** Where containers of ECS ask; EKS names an address of its own. */
const CONTAINER_ORIGIN = 'http://169.254.170.2';
/** Hosts that may be asked without TLS: ECS, EKS (IPv4, IPv6), and the machine itself. */
const CONTAINER_HOSTS = new Set([
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
  '127.0.0.1',
  'localhost',
]);
const ROLE = /^[\w+=,.@-]{1,64}$/;

/**
 * Credentials in the order of AWS's own clients: variables, a web identity (EKS service accounts), the container's
 * endpoint (ECS, EKS pod identity), the instance (IMDSv2). Each is asked again before it ends.
 */
export function createAwsCredentials(input: Input): () => Promise<AwsCredentials> {
  const { variables } = input;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const sessionToken = variables.AWS_SESSION_TOKEN;
    const fixed = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
    return async () => fixed;
  }
  if (variables.AWS_WEB_IDENTITY_TOKEN_FILE !== undefined) return keepCredential(() => askAsRole(input));
  const container = containerUrl(variables);
  if (container !== undefined) return keepCredential(() => askContainer(input, container));
  return keepCredential(() => askInstance(input));
}

async function askAsRole({
  outbound,
  variables,
  region,
  suffix,
}: Input): Promise<ShortLived<AwsCredentials>> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file = '', AWS_ROLE_ARN: role = '' } = variables;
  const message = formBody({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: variables.AWS_ROLE_SESSION_NAME ?? 'integration-gateway',
    WebIdentityToken: await readCredentialFile('AWS_WEB_IDENTITY_TOKEN_FILE', file),
  });
  const url = variables.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.${suffix}/`;
  const headers = { ...message.headers, Accept: 'application/json' };
  return askJson(outbound, { ...message, url, headers }, assumedRole);
}

function containerUrl(variables: KmsVariables): string | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } =
    variables;
  return path !== undefined ? new URL(path, CONTAINER_ORIGIN).href : full;
}

async function askContainer(
  { outbound, variables }: Input,
  url: string,
): Promise<ShortLived<AwsCredentials>> {
  const address = URL.parse(url);
  if (address === null || (address.protocol !== 'https:' && !CONTAINER_HOSTS.has(address.hostname)))
    throw new KmsError('AWS_CONTAINER_CREDENTIALS_FULL_URI: https, or an address of the container', {
      isTransient: false,
    });
  const file = variables.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token =
    file === undefined
      ? variables.AWS_CONTAINER_AUTHORIZATION_TOKEN
      : await readCredentialFile('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', file);
  const headers = token === undefined ? {} : { Authorization: token };
  return askJson(outbound, { url, headers }, temporary);
}

/** IMDSv2: a token by PUT first, which a request that was forged by a web page could not make. */
async function askInstance({ outbound, variables }: Input): Promise<ShortLived<AwsCredentials>> {
  const origin = variables.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? 'http://169.254.169.254';
  const token = await askText(outbound, {
    url: new URL('/latest/api/token', origin).href,
    method: 'PUT',
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '300' },
  });
  const headers = { 'X-aws-ec2-metadata-token': token };
  const url = new URL('/latest/meta-data/iam/security-credentials/', origin).href;
  const role = (await askText(outbound, { url, headers })).trim();
  if (!ROLE.test(role)) throw new KmsError('the instance has no role', { isTransient: false });
  return askJson(outbound, { url: `${url}${role}`, headers }, temporary);
}
