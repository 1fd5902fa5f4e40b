import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { listBaseImages, listUnpinnedImages } from '../../scripts/release/images.ts';
import { shutdownDelayMs } from '../../src/process/drain.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

/** Dockerfile instructions without comments, continued lines joined. */
const instructions = read('Dockerfile')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({
    name: line.slice(0, line.indexOf(' ')),
    rest: line.slice(line.indexOf(' ') + 1).replace(/\s+/g, ' '),
  }));
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const restOf = (name: string) =>
  lastStage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

const { services, volumes } = parse(read('docker-compose.yml'));

describe('the image', () => {
  it('runs on the major version of Node that the project installs for itself', () => {
    const { devDependencies, engines } = JSON.parse(read('package.json'));
    const major = devDependencies.node.split('.')[0];
    expect(engines.node.split('.')[0]).toBe(`>=${major}`);
    const images = new Map(listBaseImages(read('Dockerfile')).map(({ variable, tag }) => [variable, tag]));
    expect(images.get('NODE_IMAGE')).toMatch(new RegExp(`^node:${major}-`));
    // What is copied of it needs a C library, and the image one with no shell.
    expect(images.get('RUNTIME_IMAGE')).toMatch(/\/distroless\/cc-debian\d+:nonroot$/);
    expect([...images.keys()]).toEqual(['NODE_IMAGE', 'RUNTIME_IMAGE']);
    expect(lastStage.filter(({ name }) => name === 'RUN')).toEqual([]);
  });

  it('holds production dependencies only, none of whose scripts has run', () => {
    const runs = instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    expect(runs).toEqual([
      'npm ci --omit=dev --omit=optional --ignore-scripts',
      'node scripts/remove-unused-files.mjs',
      // In the stage of the dashboard, whose result alone goes on.
      'npm ci --ignore-scripts',
      'node scripts/build-dashboard.ts',
      // And of the documents, which installs the packages of site/ by its lock file, without scripts too.
      'node scripts/build-docs.ts',
    ]);
    const copiedOn = lastStage.filter(({ rest }) => rest.startsWith('--from=dashboard'));
    expect(copiedOn.map(({ rest }) => rest)).toEqual([
      '--from=dashboard /app/src/web/dashboard/dist ./src/web/dashboard/dist',
    ]);
  });

  it('copies nothing but what the gateway needs at run time, and that is let through to the build', () => {
    const copied = instructions
      .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from='))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    const ignore = read('.dockerignore').trim().split('\n');
    expect(ignore[0]).toBe('*');
    const letThrough = ignore.slice(1).filter((line) => line.startsWith('!'));
    const isWithinAnother = (path: string) => copied.some((other) => path.startsWith(`${other}/`));
    const topmost = [...new Set(copied)].filter((path) => !isWithinAnother(path));
    expect(letThrough.toSorted()).toEqual(topmost.map((path) => `!${path}`).toSorted());
    // Built again, whatever the one who builds the image has there.
    expect(ignore).toEqual(
      expect.arrayContaining(['src/web/dashboard/dist', 'site/dist', 'site/node_modules']),
    );
    for (const path of copied)
      expect({ path, exists: existsSync(join(ROOT, path)) }).toEqual({ path, exists: true });
  });

  it('runs without root rights, and gets signals itself', () => {
    expect(restOf('USER')).toEqual(['65532:65532']);
    const [command = ''] = restOf('CMD');
    const [program, ...args]: string[] = JSON.parse(command);
    expect(program).toBe('node');
    expect(existsSync(join(ROOT, args.at(-1) ?? ''))).toBe(true);
  });

  it('starts node with the same flags as npm start, and so does the benchmark', () => {
    const [command = ''] = restOf('CMD');
    const flags = JSON.parse(command).slice(1, -1);
    expect(JSON.parse(read('package.json')).scripts.start).toBe(
      `exec node ${flags.join(' ')} scripts/require-node.mjs scripts/start.ts`,
    );
    const ofBenchmark = [...read('bench/variants.ts').matchAll(/^const \w+_FLAGS = \[(.*)\];$/gm)];
    const listed = ofBenchmark.flatMap(([, list = '']) => list.split(', ').map((flag) => flag.slice(1, -1)));
    expect(listed).toEqual(flags);
  });

  it('is released with base images by digest alone', () => {
    const pinned = (text: string) =>
      text.replaceAll(/^(ARG \w+_IMAGE=\S+)$/gm, `$1@sha256:${'a'.repeat(64)}`);
    const unpinned = read('Dockerfile').replaceAll(/@sha256:\w+/g, '');
    expect(listUnpinnedImages(unpinned)).toEqual(['NODE_IMAGE', 'RUNTIME_IMAGE']);
    expect(listUnpinnedImages(pinned(unpinned))).toEqual([]);
    expect(listUnpinnedImages(`${pinned(unpinned)}\nFROM alpine:3\n`)).toEqual(['alpine:3']);
  });

  it('says what it is by the labels of the Open Container Initiative', () => {
    const [labels = ''] = restOf('LABEL');
    const named = [...labels.matchAll(/org\.opencontainers\.image\.(\w+)="/g)].map(([, name]) => name);
    expect(named).toEqual(['title', 'description', 'source', 'licenses', 'version', 'revision']);
    const { repository } = JSON.parse(read('package.json'));
    expect(`git+${/source="([^"]+)"/.exec(labels)?.[1]}.git`).toBe(repository.url);
  });

  it('is healthy only when it is ready', () => {
    const [check = ''] = restOf('HEALTHCHECK');
    const [, , program] = JSON.parse(check.slice(check.indexOf('[')));
    expect(program).toContain('/readyz');
  });
});

describe('docker compose', () => {
  it('builds the gateway here, read-only and without privileges', () => {
    expect(services.gateway).toMatchObject({
      build: '.',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('passes every variable of .env on to the gateway', () => {
    expect(services.gateway.env_file).toEqual(['.env']);
  });

  it('refuses to start without a database password and encryption keys', () => {
    expect(services.gateway.environment.ENCRYPTION_KEYS).toMatch(/^\$\{ENCRYPTION_KEYS:\?/);
    expect(services.gateway.environment.DATABASE_URL).toMatch(/\$\{POSTGRES_PASSWORD:\?/);
    expect(services.postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });

  it('reaches Postgres by the name, user and database that its service has', () => {
    const { DATABASE_URL } = services.gateway.environment;
    const url = new URL(DATABASE_URL.replace(/\$\{[^}]*\}/, 'password'));
    expect(Object.keys(services)).toContain(url.hostname);
    expect(services.postgres.environment).toMatchObject({
      POSTGRES_USER: url.username,
      POSTGRES_DB: url.pathname.slice(1),
    });
    expect(services.gateway.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });

  it('keeps Postgres to itself, with its data in a named volume', () => {
    expect(services.postgres).not.toHaveProperty('ports');
    const [volume] = services.postgres.volumes;
    expect(Object.keys(volumes)).toEqual([volume.split(':')[0]]);
  });

  it('gives the gateway longer to stop than it takes by default', () => {
    const graceSeconds = Number.parseInt(services.gateway.stop_grace_period, 10);
    const timeoutMs = Number(/^#SHUTDOWN_TIMEOUT_MS=(\d+)$/m.exec(read('.env.example'))?.[1]);
    // The image's own health check asks /readyz, so that a stop begins with the delay for balancers.
    const probed = shutdownDelayMs({ configuredMs: undefined, isWorker: false, lastProbeAgoMs: 0 });
    const lastWritesMs = 6_000;
    expect(graceSeconds * 1000).toBeGreaterThan(probed + timeoutMs + lastWritesMs);
  });

  it('publishes the port on which the container listens', () => {
    const inside = services.gateway.environment.PORT;
    for (const port of services.gateway.ports) expect(port).toMatch(new RegExp(`:${inside}$`));
    expect(restOf('EXPOSE')).toEqual([inside]);
  });
});
