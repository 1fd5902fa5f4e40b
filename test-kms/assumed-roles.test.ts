import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { OPERATORS_KEY, startSts } from '../test/support/sts-server.ts';

const sts = await startSts();
const roleArn = 'arn:aws:iam::123456789012:role/ann';
sts.roles.set(roleArn, { externalId: 'right' });

afterAll(() => sts.close());

/** What AWS's own client makes of the server that stands for the Security Token Service in tests. */
async function assumeRole(externalId: string, credentials = OPERATORS_KEY) {
  const client = new STSClient({ endpoint: sts.url, region: 'eu-west-1', credentials, maxAttempts: 1 });
  const named = { RoleArn: roleArn, RoleSessionName: 'integration-gateway', ExternalId: externalId };
  try {
    return await client.send(new AssumeRoleCommand(named));
  } finally {
    client.destroy();
  }
}

describe('@aws-sdk/client-sts at the server that stands for AWS', () => {
  it('reads the keys of a role that lets it in', async () => {
    const { Credentials } = await assumeRole('right');
    const session = sts.sessions.at(-1);
    expect(Credentials).toEqual({
      AccessKeyId: session?.accessKeyId,
      SecretAccessKey: session?.secretAccessKey,
      SessionToken: session?.sessionToken,
      Expiration: new Date(session?.endsAtMs ?? 0),
    });
  });

  it.each([
    ['AccessDenied', 'wrong', OPERATORS_KEY],
    ['InvalidClientTokenId', 'right', { ...OPERATORS_KEY, accessKeyId: 'AKIAIOSFODNN7ANOTHER' }],
    ['SignatureDoesNotMatch', 'right', { ...OPERATORS_KEY, secretAccessKey: 'another' }],
  ])('is refused with %s', async (name, externalId, credentials) => {
    const refused = assumeRole(externalId, credentials);
    await expect(refused).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 403 } });
  });
});
