import { callApi, type Gateway, startGateway } from '../support/gateway.ts';
import { findFreePort } from '../support/ports.ts';

let gateway: Gateway;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await findFreePort();
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const GET = 'GET, HEAD, OPTIONS';
const GET_POST = 'GET, POST, HEAD, OPTIONS';
const POST = 'POST, OPTIONS';
const ID = '0190b1e2-0000-7000-8000-0000000000aa';
const PATHS = [
  ['/', GET],
  ['/livez', GET],
  ['/readyz', GET],
  ['/metrics', GET],
  ['/openapi.json', GET],
  ['/docs', GET],
  ['/docs/', GET],
  ['/docs/try', GET],
  ['/docs/try/', GET],
  ['/docs/errors', GET],
  ['/docs/errors/', GET],
  ['/docs/assets/swagger-ui.css', GET],
  ['/sdk/connect.js', GET],
  ['/sdk/connect.global.js', GET],
  ['/logos/hubspot.svg', GET],
  ['/logos/custom:acme.svg', GET],
  ['/setup', GET],
  ['/connect/a-token', GET_POST],
  ['/oauth/callback', GET_POST],
  [`/oauth/callback/${ID}`, GET_POST],
  ['/connect/sessions/an-id', GET_POST],
  ['/connect/tenants/an-id', GET_POST],
  ['/approvals/a-key', GET_POST],
  ['/connections/a-key', GET_POST],
  [`/oauth/clients/${ID}`, GET],
  ['/catalog.json', GET],
  ['/catalog/a-name', GET],
  [`/projects/${ID}/mcp`, POST],
  ['/agents/connected', GET],
  ['/agents/authorize', GET],
  ['/agents/authorize/an-id', GET],
  ['/agents/token', POST],
  ['/agents/revoke', POST],
  ['/agents/sign-in/an-id', GET_POST],
  ['/agents/signed-in', GET_POST],
  [`/agents/signed-in/${ID}`, GET],
  ['/.well-known/oauth-authorization-server/agents', GET],
  [`/.well-known/oauth-authorization-server/agents/${ID}`, GET],
  [`/.well-known/oauth-protected-resource/projects/${ID}/mcp`, GET],
  ['/.well-known/integration-gateway', GET],
  ['/v1/projects', GET_POST],
] as const;

describe.each(PATHS)('%s', (path, allow) => {
  it.each(['PUT', 'PATCH', 'DELETE', 'QUERY', ...(allow === GET ? ['POST'] : allow === POST ? ['GET'] : [])])(
    'refuses %s and says what it takes',
    async (method) => {
      const { status, headers, body } = await callApi(gateway.url, method, path);
      expect([status, headers.get('allow'), headers.get('content-type'), body.code]).toEqual([
        405,
        allow,
        'application/problem+json',
        'method_not_allowed',
      ]);
    },
  );

  it('names its methods to a caller that asks', async () => {
    const { status, headers } = await callApi(gateway.url, 'OPTIONS', path);
    expect([status, headers.get('allow')]).toEqual([204, allow]);
  });
});

it('the token exchange and the registration of clients say what they take in their own forms', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const exchange = await callApi(gateway.url, method, '/oauth/token');
    expect([exchange.status, exchange.headers.get('allow'), exchange.body.error]).toEqual([
      405,
      POST,
      'invalid_request',
    ]);
    const registration = await callApi(gateway.url, method, `/agents/${ID}/register`);
    expect([registration.status, registration.headers.get('allow')]).toEqual([405, POST]);
  }
});

it.each([
  '/nowhere',
  '/docs/x',
  '/docs/assets/x.js',
  '/sdk/x.js',
  '/logos/nobody.svg',
  '/logos/hubspot',
  '/connect',
  '/oauth',
])('%s is not there, whatever the method', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
    expect([method, (await callApi(gateway.url, method, path)).status]).toEqual([method, 404]);
});

it('metrics on a port of their own are read only, too', async () => {
  const own = await startGateway({ env: { METRICS_PORT: String(metricsPort) } });
  const { status, headers } = await callApi(`http://127.0.0.1:${metricsPort}`, 'POST', '/metrics');
  await own.stop();
  expect([status, headers.get('allow')]).toEqual([405, GET]);
});
