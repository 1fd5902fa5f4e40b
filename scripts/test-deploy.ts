import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findOlderCommit } from '../test-deploy/programs/older-release.ts';
import { installPackage } from './install-package.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Where Debian puts the sources of Go packages, and the servers of Postgres. */
const DEBIAN_GO_PATH = '/usr/share/gocode';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const MEETING_PLACES = 'valkey-server (or redis-server), nats-server';

type Part = {
  /** What the tests of this part get in their environment; undefined where the programs are not here. */
  readonly prepare: (folder: string) => Record<string, string> | undefined;
  /** On Debian. */
  readonly packages: string;
};

const PARTS: Readonly<Record<string, Part>> = {
  chart: {
    prepare: prepareRenderer,
    packages: 'golang-go golang-github-masterminds-sprig-dev golang-github-ghodss-yaml-dev (or helm)',
  },
  caddy: {
    prepare: () => (spawnSync('caddy', ['version']).status === 0 ? {} : undefined),
    packages: 'caddy',
  },
  carriers: { prepare: prepareMeetingPlaces, packages: MEETING_PLACES },
  kafka: {
    prepare: () => (spawnSync('kcat', ['-V']).status === 0 ? {} : undefined),
    packages: 'kcat',
  },
  replicas: { prepare: prepareMeetingPlaces, packages: MEETING_PLACES },
  failover: { prepare: preparePostgres, packages: 'postgresql' },
  network: { prepare: prepareNetwork, packages: 'iproute2 util-linux, and to be root' },
  upgrade: { prepare: prepareOlderRelease, packages: 'caddy git (and the history of this repository)' },
};

/**
 * `npm run test:deploy`: what deploy/ says, run with the programs that it is for: the Helm chart rendered, gateways behind
 * Caddy restarted one after the other under load, a standby of Postgres promoted under load, an older release replaced by this
 * one across migrations under load; topics of Kafka that librdkafka serves and reads; and that a gateway sends nothing anywhere. It says which parts it could
 * not run, and the Debian packages that these need. Parts named after `--` have to run.
 */
exitWith(async () => {
  const wanted = process.argv.slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'test-deploy-'));
  const total = { passed: 0, failed: 0 };
  try {
    installPackage('test-deploy');
    for (const [name, { prepare, packages }] of Object.entries(PARTS)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const env = prepare(folder);
      if (env === undefined) {
        console.error(`${name} cannot run here. Debian: ${packages}`);
        if (wanted.includes(name)) total.failed += 1;
        continue;
      }
      const settings = ['--config=test-deploy/programs/jest.config.mjs', `programs/${name}.test`];
      const { passed, failed } = await runJest(settings, { ...process.env, ...env });
      total.passed += passed;
      total.failed += failed;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  printCounts(total);
  return total.failed === 0 ? 0 : 1;
});

/** Helm where it is installed; else the Go program in scripts/render-chart, with Sprig from Debian. */
function prepareRenderer(folder: string) {
  if (spawnSync('helm', ['version']).status === 0) {
    return { CHART_RENDERER: JSON.stringify(['helm', 'template', 'integration-gateway']) };
  }
  const program = join(folder, 'render-chart');
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: DEBIAN_GO_PATH,
    GOCACHE: join(folder, 'cache'),
  };
  const build = spawnSync('go', ['build', '-o', program, join(ROOT, 'scripts/render-chart/main.go')], {
    env,
  });
  return build.status === 0 ? { CHART_RENDERER: JSON.stringify([program]) } : undefined;
}

function prepareMeetingPlaces() {
  const isInstalled = (name: string) => spawnSync(name, ['--version']).status === 0;
  const isThere = isInstalled('nats-server') && ['valkey-server', 'redis-server'].some(isInstalled);
  return isThere ? {} : undefined;
}

/** A network of its own is for root to make. */
function prepareNetwork(folder: string) {
  const network = join(ROOT, 'test-deploy/programs/network.sh');
  const env = { ...process.env, FOLDER: folder };
  const { status } = spawnSync('unshare', ['--net', '--mount', 'sh', '-e', network, 'true'], { env });
  return status === 0 ? { NETWORK_FOLDER: folder } : undefined;
}

/** Caddy, and a commit of an earlier schema. */
function prepareOlderRelease() {
  const commit = findOlderCommit();
  if (commit === undefined || spawnSync('caddy', ['version']).status !== 0) return undefined;
  return { OLDER_COMMIT: commit };
}

/** The newest server that Debian has installed, with the programs for replication. */
function preparePostgres() {
  const versions = listFolder(DEBIAN_POSTGRES).map(Number).filter(Number.isInteger);
  if (versions.length === 0) return undefined;
  const programs = join(DEBIAN_POSTGRES, String(Math.max(...versions)), 'bin');
  return listFolder(programs).includes('pg_basebackup') ? { POSTGRES_PROGRAMS: programs } : undefined;
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
