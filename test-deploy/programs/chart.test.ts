import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'jsonschema';
import { parse } from 'yaml';
import {
  listSchemaFaults,
  listUnknownFields,
  type Manifest,
  parseManifests,
  ROOT,
  readPlainManifests,
} from '../manifests.ts';

const CHART = join(ROOT, 'deploy/helm/integration-gateway');
const [program = '', ...given]: string[] = JSON.parse(process.env.CHART_RENDERER ?? '[]');
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));

/** What the schema of values says against these, on top of the defaults. */
const listFaults = (values: object) =>
  validate({ ...defaults, ...values }, schema).errors.map(({ stack }) => stack);

function render(values: object) {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return spawnSync(program, [...given, CHART, '--values', file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function renderManifests(values: object): Manifest[] {
  const { status, stdout, stderr } = render(values);
  if (status !== 0) throw new Error(stderr);
  return parseManifests(stdout);
}

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind);

/** What a release adds to labels and annotations, and the image, are the chart's own. */
function withoutRelease(manifest: Manifest): unknown {
  return JSON.parse(JSON.stringify(manifest), (key, value) => {
    if (key === 'image' || key === 'imagePullPolicy') return undefined;
    if (key === 'labels' || key === 'matchLabels' || key === 'selector')
      return clean(value, 'app.kubernetes.io/name');
    if (key === 'annotations') return clean(value, 'nginx.ingress.kubernetes.io');
    return value;
  });
}

/** The part of the labels whose names begin so. A selector that holds further objects stays. */
function clean(labels: Record<string, unknown>, prefix: string): unknown {
  if (Object.values(labels).some((value) => typeof value !== 'string')) return labels;
  const kept = Object.entries(labels).filter(([name]) => name.startsWith(prefix));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const VAULT = {
  to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'vault' } } }],
  ports: [{ port: 8200 }],
};

const VARIANTS = {
  'without autoscaler, ingress, policy and budget': {
    replicaCount: 5,
    autoscaling: { enabled: false },
    ingress: { enabled: false },
    networkPolicy: { enabled: false },
    disruptionBudget: { enabled: false },
  },
  'with one host, a digest, and everything that may be added': {
    image: { repository: 'registry.example.com/gateway', digest: `sha256:${'0'.repeat(64)}` },
    imagePullSecrets: [{ name: 'registry' }],
    publicUrl: 'https://one.example.com:8443',
    proxyUrl: '',
    webhookUrl: '',
    settings: { LOG_LEVEL: 'debug', TENANT_PROJECTS_MAX: '3' },
    catalog: { configMapName: 'providers' },
    networkPolicy: { postgres: { namespace: '', cidrs: ['10.1.2.3/32'] }, extraEgress: [VAULT] },
    metrics: { serviceMonitor: { enabled: true } },
    serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/gateway' } },
    podAnnotations: { note: 'x' },
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
} as const;

describe('the chart with its default values', () => {
  it('gives the manifests of deploy/kubernetes', () => {
    const byName = (manifests: readonly Manifest[]) =>
      Object.fromEntries(manifests.map((manifest) => [nameOf(manifest), withoutRelease(manifest)]));
    expect(byName(renderManifests({}))).toEqual(byName(readPlainManifests()));
  });
});

describe('the chart', () => {
  it.each(Object.entries(VARIANTS))(
    'gives manifests of the schema of Kubernetes: %s',
    async (_name, values) => {
      expect(listFaults(values)).toEqual([]);
      // Its schema is that of the Prometheus operator, not of Kubernetes.
      const manifests = renderManifests(values).filter(({ kind }) => kind !== 'ServiceMonitor');
      expect(listUnknownFields(manifests)).toEqual([]);
      for (const manifest of manifests) expect(await listSchemaFaults(manifest)).toEqual([]);
    },
  );

  it('leaves out what is switched off, and says how many pods there are then', () => {
    const manifests = renderManifests(VARIANTS['without autoscaler, ingress, policy and budget']);
    expect(kindsOf(manifests).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'Service',
      'Service',
      'ServiceAccount',
    ]);
    expect(manifests.find(({ kind }) => kind === 'Deployment')?.spec.replicas).toBe(5);
  });

  it('takes what is added: one host without its port, the digest, a catalog, a service monitor', () => {
    const manifests = renderManifests(VARIANTS['with one host, a digest, and everything that may be added']);
    const find = (wanted: string) => manifests.find(({ kind }) => kind === wanted);
    expect(find('Ingress')?.spec.rules.map(({ host }: { host: string }) => host)).toEqual([
      'one.example.com',
    ]);
    const pod = find('Deployment')?.spec.template.spec;
    expect(pod.containers[0].image).toMatch(/@sha256:0{64}$/);
    expect(find('ConfigMap')?.data).toMatchObject({
      CATALOG_DIR: pod.containers[0].volumeMounts.at(-1).mountPath,
      LOG_LEVEL: 'debug',
    });
    expect(find('NetworkPolicy')?.spec.egress.at(-1)).toEqual(VAULT);
    expect(find('ServiceMonitor')?.spec.endpoints).toEqual([{ port: 'metrics', interval: '15s' }]);
  });

  it('starts a rollout where a setting changed, and only there', () => {
    const sumOf = (values: object) =>
      renderManifests(values).find(({ kind }) => kind === 'Deployment')?.spec.template.metadata.annotations;
    expect(sumOf({ settings: { LOG_LEVEL: 'debug' } })).not.toEqual(sumOf({}));
    expect(sumOf({ replicaCount: 9 })).toEqual(sumOf({}));
  });

  it('is refused where its policy would open a port of every address', () => {
    const { status, stderr } = render({ networkPolicy: { postgres: { namespace: '', cidrs: [] } } });
    expect(status).not.toBe(0);
    expect(stderr).toContain('networkPolicy.postgres needs a namespace or cidrs');
  });

  it.each([
    ['a secret among the settings', { settings: { ENCRYPTION_KEYS: 'k1:AAAA' } }],
    ['an address with a path', { publicUrl: 'https://gateway.example.com/path' }],
    ['a value that there is not', { replicas: 3 }],
    [
      'a file for a variable that is no secret',
      { secret: { name: 'x', files: { ...defaults.secret.files, LOG_LEVEL: 'level' } } },
    ],
  ])('refuses by its schema of values: %s', (_name, values) => {
    expect(listFaults(values)).toHaveLength(1);
  });
});
