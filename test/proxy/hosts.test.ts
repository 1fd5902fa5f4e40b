import type { ApiBase, ApiHosts } from '../../src/proxy/contract.ts';
import { ALLOWED_ORIGIN, CLIENTS, connectionTo, PREFIX } from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawUpstream, startRawUpstream } from '../support/upstream.ts';

afterEach(closeStage);

function hostsOf(bases: Readonly<Record<string, ApiBase>>): ApiHosts {
  return {
    names: [...Object.keys(bases), 'regional'],
    find(name) {
      if (name === 'regional') return { ok: false, reason: 'incomplete', variable: 'region' };
      const base = Object.hasOwn(bases, name) ? bases[name] : undefined;
      return base === undefined ? { ok: false, reason: 'unknown' } : { ok: true, base };
    },
  };
}

/** A provider with an API and, on another port, a host for files below `/up`. */
async function startHosts(linksTo: (api: RawUpstream, files: RawUpstream) => string[] = () => []) {
  const upstreams: RawUpstream[] = [];
  const [api, files] = await Promise.all(
    ['api', 'files'].map((name) =>
      startRawUpstream((socket) => {
        const [first, second] = upstreams;
        const links = first && second ? linksTo(first, second) : [];
        socket.write(
          okAnswer(
            name,
            links.map((link) => `Link: <${link}>; rel="next"`),
          ),
        );
      }),
    ),
  );
  if (api === undefined || files === undefined) throw new Error('no upstream');
  upstreams.push(api, files);
  closeLater(api.close, files.close);
  const base = { ...connectionTo(files.port).apiBase, basePath: '/up' };
  const { gateway } = await startStage(() => {}, {
    upstreamPort: api.port,
    connection: { apiHosts: hostsOf({ content: base }) },
  });
  return { api, files, gateway };
}

/** Follows the provider in the path. */
const at = (host: string, path: string) => `~${host}${path}`;

describe.each(CLIENTS)('over %s, a call of a named host', (_client, marks) => {
  it('goes there with the credential, below its base path; without a name it goes to the API', async () => {
    const { api, files, gateway } = await startHosts();
    const named = await gateway.call('GET', at('content', '/2/files?a=1'), marks);
    const plain = await gateway.call('GET', '/2/files', marks);
    expect([named.body, plain.body]).toEqual(['files', 'api']);
    const [request] = files.requests;
    expect(request?.head).toMatch(/^GET \/up\/2\/files\?a=1 HTTP/);
    expect(request?.head).toMatch(/authorization: Bearer provider-token-1/i);
    expect(request?.head).toContain(`127.0.0.1:${files.port}`);
    expect(api.requests).toHaveLength(1);
  });

  it('leads links to all hosts of the provider through the proxy, and no others', async () => {
    const { gateway } = await startHosts((api, files) => [
      `http://127.0.0.1:${files.port}/up/next`,
      `http://127.0.0.1:${api.port}/v2/list`,
      `http://127.0.0.1:${files.port}/upper`,
      '/up/relative',
    ]);
    const fields = [...marks, 'Gateway-Rewrite-Links: true'];
    const answer = await gateway.call('GET', at('content', '/x'), fields);
    const links = answer.fieldLines.filter((line) => /^link:/i.test(line)).join(' ');
    expect(links).toContain(`<http://gateway.test${PREFIX}${at('content', '/next')}>`);
    expect(links).toContain(`<http://gateway.test${PREFIX}/v2/list>`);
    expect(links).toContain(`<http://gateway.test${PREFIX}${at('content', '/relative')}>`);
    expect(links).toMatch(/<http:\/\/127\.0\.0\.1:\d+\/upper>/);
  });
});

describe('a host that cannot be called', () => {
  it.each([
    ['contents', 404, 'host_unknown', 'Hosts of `demo`: content, regional. Did you mean `demo~content`?'],
    ['', 404, 'host_unknown', 'Hosts of `demo`: content, regional.'],
    ['__proto__', 404, 'host_unknown', 'Hosts of `demo`: content, regional.'],
    ['regional', 502, 'integration_misconfigured', 'The address of the host `regional` lacks “region”.'],
  ])('%j is refused with %i %s', async (host, status, code, detail) => {
    const { api, files, gateway } = await startHosts();
    const answer = await gateway.call('GET', at(host, '/x'));
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([status, code]);
    expect(JSON.parse(Buffer.from(answer.body, 'latin1').toString())).toMatchObject({ code, detail });
    expect([api.requests, files.requests]).toEqual([[], []]);
  });

  it('is any where the provider has none', async () => {
    const { gateway } = await startStage(() => {});
    const answer = await gateway.call('GET', at('content', '/x'));
    expect(JSON.parse(Buffer.from(answer.body, 'latin1').toString())).toMatchObject({
      code: 'host_unknown',
      detail: '`demo` has its API base alone and no further hosts.',
      hosts: [],
    });
  });
});

it('a preflight for a named host is answered as for the API', async () => {
  const { gateway } = await startStage(() => {});
  const fields = [`Origin: ${ALLOWED_ORIGIN}`, 'Access-Control-Request-Method: POST'];
  const answer = await gateway.call('OPTIONS', at('content', '/x'), fields);
  expect([answer.status, fieldValue(answer.fieldLines, 'access-control-allow-origin')]).toEqual([
    204,
    ALLOWED_ORIGIN,
  ]);
});
