import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createResolver, type ResolverOptions } from '../../src/platform/resolver.ts';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { closeServer, listen } from '../support/listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-resolver-'));
const hostsFile = join(folder, 'hosts');
const resolvConf = join(folder, 'resolv.conf');
writeFileSync(hostsFile, '');
writeFileSync(resolvConf, '');

/** What the server says of each name; of any other, that there is none. */
const zone = new Map<string, DnsAnswer>();
const server = await startDnsServer(({ name }) => {
  const silent = name.endsWith('dead.test') ? { failure: 'silent' as const } : undefined;
  return zone.get(name) ?? silent ?? { failure: 'unknown_name' };
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Longer than any test waits, unless a test waits for just that. */
const FOREVER_MS = 600_000;

function start(options: ResolverOptions = {}) {
  const resolveName = createResolver({
    servers: [server.address],
    hostsFile,
    resolvConf,
    timeoutMs: FOREVER_MS,
    ...options,
  });
  /** The addresses, or the code of the error. */
  return (name: string) =>
    new Promise<string[] | string | undefined>((resolve) => {
      resolveName(name, (error, found) => resolve(error?.code ?? found.map(({ address }) => address)));
    });
}

function questionsAbout(name: string): number {
  return server.questions.filter((question) => question.name === name).length;
}

describe('a name', () => {
  it('has its IPv4 and IPv6 addresses, IPv4 first', async () => {
    zone.set('both.test', { addresses: ['2001:db8::1', '192.0.2.1', '192.0.2.2'] });
    expect(await start()('Both.TEST')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  });

  it('with addresses of one kind has those', async () => {
    zone.set('four.test', { addresses: ['192.0.2.4'] });
    zone.set('six.test', { addresses: ['2001:db8::6'] });
    const resolve = start();
    expect(await Promise.all([resolve('four.test'), resolve('six.test')])).toEqual([
      ['192.0.2.4'],
      ['2001:db8::6'],
    ]);
  });

  it('has its IPv4 addresses although the server keeps silent about IPv6', async () => {
    const half = await startDnsServer(({ type }) =>
      type === 'A' ? { addresses: ['192.0.2.5'] } : { failure: 'silent' },
    );
    expect(await start({ servers: [half.address] })('half.test')).toEqual(['192.0.2.5']);
    await half.close();
  });

  it.each([
    'nothing.test',
    'some.invalid',
    'a'.repeat(64),
    `${'a.'.repeat(130)}test`,
    '',
    '.',
    'a..test',
    'ä.test',
  ])('that does not exist or cannot exist is not found: %s', async (name) => {
    expect(await start()(name)).toBe('ENOTFOUND');
  });

  it('without an answer in time is given up', async () => {
    expect(await start({ timeoutMs: 50 })('never.dead.test')).toBe('ETIMEOUT');
  });

  it('that the name server fails about is given up', async () => {
    zone.set('broken.test', { failure: 'server_failure' });
    expect(await start()('broken.test')).toBe('ESERVFAIL');
  });
});

describe('a dead name', () => {
  it('does not delay look-ups of another', async () => {
    zone.set('alive.test', { addresses: ['192.0.2.7'] });
    const resolve = start();
    const ended: string[] = [];
    const note = (name: string) => resolve(name).then(() => ended.push(name));
    for (let caller = 0; caller < 1_000; caller += 1) void note('dead.test');
    for (let name = 0; name < 20; name += 1) void note(`host${name}.dead.test`);
    await note('alive.test');
    expect(ended).toEqual(['alive.test']);
  });

  it('delays no call to another host', async () => {
    const target = createServer((_request, response) => response.end('answered'));
    const port = await listen(target);
    zone.set('called.test', { addresses: ['127.0.0.1'] });
    const resolveName = createResolver({ servers: [server.address], hostsFile, resolvConf });
    const outbound = createOutbound({ allowPrivateNetworks: true, resolveName });
    const ended: string[] = [];
    const call = (host: string, timeoutMs: number) =>
      outbound.request({ url: `http://${host}:${port}/`, timeoutMs }).then(
        ({ body }) => ended.push(`${host} ${body}`),
        (error: { kind: string }) => ended.push(`${host} ${error.kind}`),
      );
    const dead = Array.from({ length: 20 }, (_, index) => call(`call${index}.dead.test`, 2_000));
    await call('called.test', FOREVER_MS);
    expect(ended).toEqual(['called.test answered']);
    await Promise.all(dead);
    await closeServer(target);
  });

  it('is asked for once at a time, however many wait for it', async () => {
    const resolve = start({ timeoutMs: 50 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => resolve('once.dead.test')));
    expect(new Set(answers)).toEqual(new Set(['ETIMEOUT']));
    expect(questionsAbout('once.dead.test')).toBe(2);
  });
});

describe('look-ups under way', () => {
  it('are bounded in all: a further one is refused at once', async () => {
    const resolve = start({ lookupsMax: 2 });
    void resolve('one.dead.test');
    void resolve('two.other.dead.test');
    expect(await resolve('alive.test')).toBe('EAI_AGAIN');
    expect(questionsAbout('three.dead.test')).toBe(0);
  });

  it('are bounded for each domain, so that one domain does not take the place of all others', async () => {
    zone.set('alive.test', { addresses: ['192.0.2.7'] });
    const resolve = start({ lookupsPerDomainMax: 2 });
    void resolve('a.dead.test');
    void resolve('b.c.dead.test');
    expect(await resolve('d.dead.test')).toBe('EAI_AGAIN');
    expect(await resolve('alive.test')).toEqual(['192.0.2.7']);
  });

  it('make room again once the name server has answered', async () => {
    zone.set('first.test', { addresses: ['192.0.2.1'] });
    zone.set('second.test', { addresses: ['192.0.2.2'] });
    const resolve = start({ lookupsMax: 1, lookupsPerDomainMax: 1 });
    expect(await resolve('first.test')).toEqual(['192.0.2.1']);
    expect(await resolve('second.test')).toEqual(['192.0.2.2']);
    expect(await resolve('nothing.test')).toBe('ENOTFOUND');
    expect(await resolve('nothing-else.test')).toBe('ENOTFOUND');
  });
});

describe('what was found', () => {
  function clock() {
    const time = { nowMs: 1_000_000 };
    return { time, now: () => time.nowMs };
  }

  it('is kept for as long as the name server says, and asked for again after that', async () => {
    const { time, now } = clock();
    const resolve = start({ now });
    zone.set('kept.test', { addresses: ['192.0.2.10'], ttlSeconds: 30 });
    expect(await resolve('kept.test')).toEqual(['192.0.2.10']);
    zone.set('kept.test', { addresses: ['192.0.2.11'], ttlSeconds: 30 });
    time.nowMs += 29_999;
    expect(await resolve('kept.test')).toEqual(['192.0.2.10']);
    time.nowMs += 2;
    expect(await resolve('kept.test')).toEqual(['192.0.2.11']);
  });

  it('is kept for five minutes at most', async () => {
    const { time, now } = clock();
    const resolve = start({ now });
    zone.set('long.test', { addresses: ['192.0.2.12'], ttlSeconds: 86_400 });
    await resolve('long.test');
    zone.set('long.test', { addresses: ['192.0.2.13'], ttlSeconds: 86_400 });
    time.nowMs += 300_001;
    expect(await resolve('long.test')).toEqual(['192.0.2.13']);
  });

  it('is bounded in number', async () => {
    const resolve = start({ namesMax: 2 });
    for (const name of ['n1.test', 'n2.test', 'n3.test']) {
      zone.set(name, { addresses: ['192.0.2.20'], ttlSeconds: 300 });
      await resolve(name);
    }
    const before = questionsAbout('n1.test');
    await resolve('n1.test');
    await resolve('n3.test');
    expect(questionsAbout('n1.test')).toBe(before * 2);
    expect(questionsAbout('n3.test')).toBe(before);
  });

  it('is a failure for a few seconds too', async () => {
    const { time, now } = clock();
    const resolve = start({ now });
    expect(await resolve('later.test')).toBe('ENOTFOUND');
    zone.set('later.test', { addresses: ['192.0.2.14'] });
    expect(await resolve('later.test')).toBe('ENOTFOUND');
    time.nowMs += 5_001;
    expect(await resolve('later.test')).toEqual(['192.0.2.14']);
  });

  it('begins with another address each time, so that callers spread', async () => {
    zone.set('spread.test', { addresses: ['192.0.2.31', '192.0.2.32', '2001:db8::1'], ttlSeconds: 60 });
    const resolve = start();
    const first = [await resolve('spread.test'), await resolve('spread.test')];
    expect(first).toEqual([
      ['192.0.2.31', '192.0.2.32', '2001:db8::1'],
      ['192.0.2.32', '192.0.2.31', '2001:db8::1'],
    ]);
  });
});

describe('the hosts file', () => {
  it('comes before the name server, in any case, with several names a line and comments', async () => {
    writeFileSync(
      hostsFile,
      '# comment\n10.0.0.1\tDb.Test  alias.test # why\n::2 db.test\nnonsense db.test\n\n10.0.0.3 alias.test',
    );
    zone.set('db.test', { addresses: ['192.0.2.40'] });
    const resolve = start();
    expect(await resolve('db.test')).toEqual(['10.0.0.1', '::2']);
    expect(await resolve('ALIAS.test.')).toEqual(['10.0.0.1', '10.0.0.3']);
    expect(questionsAbout('db.test')).toBe(0);
  });

  it('is read again when it has changed', async () => {
    let nowMs = 0;
    writeFileSync(hostsFile, '10.0.0.1 changing.test');
    const resolve = start({ now: () => nowMs });
    expect(await resolve('changing.test')).toEqual(['10.0.0.1']);
    writeFileSync(hostsFile, '10.0.0.2 changing.test');
    utimesSync(hostsFile, 1, 1);
    nowMs += 10_000;
    expect(await resolve('changing.test')).toEqual(['10.0.0.2']);
  });

  it('need not exist', async () => {
    zone.set('four.test', { addresses: ['192.0.2.4'] });
    expect(await start({ hostsFile: join(folder, 'none') })('four.test')).toEqual(['192.0.2.4']);
  });
});

describe('localhost', () => {
  it.each(['localhost', 'LocalHost.', 'app.localhost'])(
    '%s is the loopback, without a question',
    async (name) => {
      expect(await start()(name)).toEqual(['127.0.0.1', '::1']);
      expect(server.questions.some((question) => question.name.includes('localhost'))).toBe(false);
    },
  );
});

describe('the search list', () => {
  beforeAll(() => writeFileSync(resolvConf, 'search a.search b.search\noptions ndots:5 timeout:1\n'));
  afterAll(() => writeFileSync(resolvConf, ''));

  it('completes a name without dots, in its order', async () => {
    zone.set('db.b.search', { addresses: ['192.0.2.50'] });
    zone.set('db', { addresses: ['192.0.2.51'] });
    expect(await start()('db')).toEqual(['192.0.2.50']);
  });

  it('is for a name with dots only where the name itself is unknown', async () => {
    zone.set('svc.space.b.search', { addresses: ['192.0.2.52'] });
    zone.set('api.known.test', { addresses: ['192.0.2.53'] });
    zone.set('api.known.test.a.search', { addresses: ['192.0.2.54'] });
    const resolve = start();
    expect(await resolve('svc.space')).toEqual(['192.0.2.52']);
    expect(await resolve('api.known.test')).toEqual(['192.0.2.53']);
  });

  it('is not for a name with as many dots as `ndots` says, nor for one that ends in a dot', async () => {
    writeFileSync(resolvConf, 'search a.search\noptions ndots:2\n');
    zone.set('one.two.three.a.search', { addresses: ['192.0.2.55'] });
    zone.set('full.a.search', { addresses: ['192.0.2.56'] });
    const resolve = start();
    expect(await resolve('one.two.three')).toBe('ENOTFOUND');
    expect(await resolve('full.')).toBe('ENOTFOUND');
    expect(await resolve('full')).toEqual(['192.0.2.56']);
  });
});
