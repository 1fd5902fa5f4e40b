import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeServer, listen } from './listen.ts';
import { type ReceivedRequest, sigV4Fault } from './sigv4-verifier.ts';

export const OPERATORS_KEY = {
  accessKeyId: 'AKIAIOSFODNN7OPERATE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYOPERATOR',
};

export const OPERATORS_ARN = 'arn:aws:iam::210987654321:user/integration-gateway';

type Role = { externalId: string; isGone?: boolean; demandsNoId?: boolean };
type Session = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly endsAtMs: number;
  readonly roleArn: string;
};

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const errorXml = (code: string, message: string) =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error>
    <Type>Sender</Type>
    <Code>${code}</Code>
    <Message>${escapeXml(message)}</Message>
  </Error>
  <RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId>
</ErrorResponse>`;

/**
 * AWS's Security Token Service with roles whose trust policies demand an external id, and DynamoDB, on one port. Every
 * signature is verified; calls are let in with live keys of roles alone.
 */
export async function startSts() {
  const roles = new Map<string, Role>();
  const sessions: Session[] = [];
  const assumptions: { readonly form: Readonly<Record<string, string>>; readonly target: string }[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const sts = {
    url: `http://127.0.0.1:${await listen(server)}`,
    roles,
    sessions,
    assumptions,
    key: OPERATORS_KEY,
    lifetimeSeconds: 3600,
    /** Takes the place of the next answers of AssumeRole. */
    instead: undefined as { status: number; body: string } | undefined,
    close: () => closeServer(server),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = {
      ...{ method: request.method ?? '', target: request.url ?? '/', fields: request.rawHeaders },
      body: await buffer(request),
    };
    const isCall = request.headers['x-amz-target'] !== undefined;
    const { status, type, body } = isCall ? answerCall(received) : answerSts(received);
    response.writeHead(status, { 'Content-Type': type }).end(body);
  }

  function answerSts(received: ReceivedRequest) {
    const form = Object.fromEntries(new URLSearchParams(received.body.toString()));
    if (form.Action === 'AssumeRole') return { type: 'text/xml', ...assume(received, form) };
    if (form.Action === 'GetCallerIdentity' && sigV4Fault(received, sts.key, 'sts') === undefined)
      return { status: 200, type: 'text/xml', body: identityXml(OPERATORS_ARN) };
    const session = sessions.find((one) => sigV4Fault(received, one, 'sts') === undefined);
    if (session === undefined)
      return { status: 403, type: 'text/xml', body: errorXml('InvalidClientTokenId', 'unknown') };
    const GetCallerIdentityResult = { Account: '123456789012', Arn: session.roleArn };
    const body = JSON.stringify({ GetCallerIdentityResponse: { GetCallerIdentityResult } });
    return { status: 200, type: 'application/json', body };
  }

  function assume(received: ReceivedRequest, form: Readonly<Record<string, string>>) {
    assumptions.push({ form, target: received.target });
    if (sts.instead !== undefined) return sts.instead;
    const fault = sigV4Fault(received, sts.key, 'sts');
    if (fault === 'another access key')
      return {
        status: 403,
        body: errorXml('InvalidClientTokenId', 'The security token included in the request is invalid.'),
      };
    if (fault !== undefined) return { status: 403, body: errorXml('SignatureDoesNotMatch', fault) };
    const { RoleArn = '', ExternalId = '', Version = '', RoleSessionName = '' } = form;
    if (Version !== '2011-06-15' || !/^[\w+=,.@-]{2,64}$/.test(RoleSessionName))
      return { status: 400, body: errorXml('ValidationError', 'a parameter is wrong') };
    const role = roles.get(RoleArn);
    if (role === undefined || role.isGone || (!role.demandsNoId && role.externalId !== ExternalId))
      return {
        status: 403,
        body: errorXml(
          'AccessDenied',
          `User is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`,
        ),
      };
    const session = {
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(200).toString('base64'),
      endsAtMs: Math.floor(Date.now() / 1000 + sts.lifetimeSeconds) * 1000,
      roleArn: RoleArn,
    };
    sessions.push(session);
    return { status: 200, body: assumedXml(session) };
  }

  function answerCall(received: ReceivedRequest) {
    const session = sessions.find((one) => sigV4Fault(received, one, 'dynamodb') === undefined);
    if (session !== undefined && session.endsAtMs > Date.now())
      return {
        status: 200,
        type: 'application/json',
        body: JSON.stringify({ role: session.roleArn, key: session.accessKeyId }),
      };
    const __type = `com.amazon.coral.service#${session ? 'ExpiredTokenException' : 'UnrecognizedClientException'}`;
    return { status: 400, type: 'application/x-amz-json-1.0', body: JSON.stringify({ __type }) };
  }

  return sts;
}

function identityXml(arn: string): string {
  return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult><Arn>${escapeXml(arn)}</Arn><UserId>AIDA</UserId><Account>210987654321</Account></GetCallerIdentityResult>
  <ResponseMetadata><RequestId>01234567-89ab-cdef-0123-456789abcdef</RequestId></ResponseMetadata>
</GetCallerIdentityResponse>`;
}

function assumedXml({ accessKeyId, secretAccessKey, sessionToken, endsAtMs, roleArn }: Session): string {
  const arn = roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/');
  return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleResult>
    <AssumedRoleUser>
      <AssumedRoleId>AROA3XFRBF535PLBIFPI4:integration-gateway</AssumedRoleId>
      <Arn>${escapeXml(arn)}/integration-gateway</Arn>
    </AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${accessKeyId}</AccessKeyId>
      <SecretAccessKey>${secretAccessKey}</SecretAccessKey>
      <SessionToken>${sessionToken}</SessionToken>
      <Expiration>${new Date(endsAtMs).toISOString().replace('.000Z', 'Z')}</Expiration>
    </Credentials>
  </AssumeRoleResult>
  <ResponseMetadata><RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId></ResponseMetadata>
</AssumeRoleResponse>`;
}
