import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createCatalogDir } from '../test/support/catalog-dir.ts';
import { callApiOk, provision, startGateway } from '../test/support/gateway.ts';
import { listen } from '../test/support/listen.ts';
import { sigV4Fault } from '../test/support/sigv4-verifier.ts';

const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const CATALOG = join(import.meta.dirname, '../src/catalog/providers');

/** S3 and DynamoDB on one port, for whom a wrong signature is an error and all else is as they answer. */
const faults: string[] = [];
const objects = new Map<string, Buffer>();
const server = createServer((request, response) => void serve(request, response));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const target = request.url ?? '/';
  const service = target.includes('GetCallerIdentity')
    ? 'sts'
    : request.headers['x-amz-target'] === undefined
      ? 's3'
      : 'dynamodb';
  const received = { method: request.method ?? '', target, fields: request.rawHeaders, body };
  const fault = sigV4Fault(received, KEY, service);
  if (fault !== undefined) {
    faults.push(fault);
    response.writeHead(403, { 'Content-Type': 'application/xml' });
    response.end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
  } else if (service === 'sts') {
    const GetCallerIdentityResult = { Account: '123456789012', Arn: 'arn:aws:iam::123456789012:user/mia' };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ GetCallerIdentityResponse: { GetCallerIdentityResult } }));
  } else if (service === 'dynamodb') {
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ Item: { id: JSON.parse(body.toString()).Key.id } }));
  } else if (request.method === 'PUT') {
    objects.set(decodeURIComponent(target.split('?')[0] ?? ''), unchunked(request, body));
    response.writeHead(200, { ETag: '"1"' }).end();
  } else if (target.includes('list-type')) {
    const keys = [...objects.keys()].map(
      (key) => `<Contents><Key>${key.split('/').slice(2).join('/')}</Key></Contents>`,
    );
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(`<ListBucketResult><Name>b</Name>${keys.join('')}</ListBucketResult>`);
  } else {
    response.writeHead(200).end(objects.get(decodeURIComponent(target.split('?')[0] ?? '')));
  }
}

/** The content of aws-chunked: length in hexadecimal, bytes, and a trailer with a checksum. */
function unchunked({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (!String(headers['content-encoding']).includes('aws-chunked')) return body;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.subarray(at, end).toString(), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

const port = await listen(server);
const redirected = async (id: string) =>
  (await readFile(join(CATALOG, `${id}.yaml`), 'utf8'))
    .replace(/^apiBaseUrl: .*$/m, `apiBaseUrl: http://127.0.0.1:${port}`)
    .replaceAll('https://sts.{region}.amazonaws.com', `http://127.0.0.1:${port}`);
const catalog = await createCatalogDir({
  aws: await redirected('aws'),
  'aws-s3': await redirected('aws-s3'),
});
const gateway = await startGateway({ catalogDir: catalog.path });
const project = await provision(gateway);
for (const serviceProvider of ['aws', 'aws-s3']) {
  const bearer = project.apiKey;
  const variables = {
    ...KEY,
    region: 'eu-west-1',
    ...(serviceProvider === 'aws' && { service: 'dynamodb' }),
  };
  const integration = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider },
  });
  const body = { integrationId: integration.id, userId: 'mia', credentials: { variables } };
  await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer, body });
}
const userToken = project.userToken('mia');
const endpointOf = (id: string) => `${gateway.url}/projects/${project.id}/proxy/${id}`;
/** The two ways of AWS clients to be given a key; a secret is never looked at. */
const STAND_INS = [
  ['access key id', { accessKeyId: userToken, secretAccessKey: 'unused' }],
  ['session token', { accessKeyId: 'unused', secretAccessKey: 'unused', sessionToken: userToken }],
] as const;

afterAll(async () => {
  await gateway.stop();
  await catalog.remove();
  server.closeAllConnections();
  server.close();
});

afterEach(() => expect(faults.splice(0)).toEqual([]));

describe.each(STAND_INS)('clients of AWS, unmodified, with the user’s token as %s', (_place, credentials) => {
  const region = 'us-east-1';
  const s3 = new S3Client({ region, endpoint: endpointOf('aws-s3'), forcePathStyle: true, credentials });
  const dynamodb = new DynamoDBClient({ region, endpoint: endpointOf('aws'), credentials, maxAttempts: 1 });
  afterAll(() => {
    s3.destroy();
    dynamodb.destroy();
  });

  it('@aws-sdk/client-s3 stores, reads and lists objects with awkward keys', async () => {
    const Key = "reports/ä b+c (1)'*!~=&$@:,.txt";
    await s3.send(new PutObjectCommand({ Bucket: 'b', Key, Body: 'hello', Metadata: { note: 'x  y' } }));
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'b', Key }));
    expect(await Body?.transformToString()).toBe('hello');
    const listed = await s3.send(
      new ListObjectsV2Command({ Bucket: 'b', Prefix: 'reports/ä b+', Delimiter: '/' }),
    );
    expect(listed.Contents?.map((one) => one.Key)).toContain(Key);
  });

  it('@aws-sdk/client-s3 streams an object that is longer than what is held', async () => {
    const Body = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, 'x')));
    const ContentLength = 40 * 64 * 1024;
    await s3.send(new PutObjectCommand({ Bucket: 'b', Key: 'long', Body, ContentLength }));
    expect(objects.get('/b/long')?.length).toBe(ContentLength);
  });

  it('@aws-sdk/client-dynamodb gets an item', async () => {
    const command = new GetItemCommand({ TableName: 'users', Key: { id: { S: 'café' } } });
    expect((await dynamodb.send(command)).Item).toEqual({ id: { S: 'café' } });
  });
});

describe('the gateway’s refusal', () => {
  it('reaches the client as an error with its status', async () => {
    const credentials = { accessKeyId: 'a.b.c', secretAccessKey: 'unused' };
    const client = new DynamoDBClient({ region: 'us-east-1', endpoint: endpointOf('aws'), credentials });
    const refused = client.send(new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } }));
    await expect(refused).rejects.toMatchObject({ $metadata: { httpStatusCode: 401 } });
    client.destroy();
  });

  it('reaches the client of Amazon S3 in its own words, since it reads XML alone', async () => {
    const credentials = { accessKeyId: 'a.b.c', secretAccessKey: 'unused' };
    const endpoint = endpointOf('aws-s3');
    const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials });
    const refused = client.send(new ListObjectsV2Command({ Bucket: 'b' }));
    await expect(refused).rejects.toMatchObject({
      name: 'token_invalid',
      message: expect.stringContaining('token'),
      $metadata: { httpStatusCode: 401 },
    });
    client.destroy();
  });

  it('is plain where a body is too long to be signed', async () => {
    const response = await fetch(endpointOf('aws'), {
      method: 'POST',
      headers: { authorization: `Bearer ${userToken}` },
      body: Buffer.alloc(6 * 1024 * 1024 + 1),
    });
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('to_sign')]);
  });
});
