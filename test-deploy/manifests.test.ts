import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../src/config.ts';
import { SECRET_VARIABLES } from '../src/settings/secret-files.ts';
import {
  listSchemaFaults,
  listUnknownFields,
  type Manifest,
  PLAIN,
  ROOT,
  readPlainManifests,
} from './manifests.ts';

const CHART_SCHEMA = 'deploy/helm/integration-gateway/values.schema.json';

const manifests = readPlainManifests();
const find = (kind: string, name = 'integration-gateway'): Manifest => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
};
const pod = () => find('Deployment').spec.template;
const container = () => pod().spec.containers[0];

describe('the manifests of deploy/kubernetes', () => {
  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    'keep to the schema of Kubernetes: %s',
    async (_name, manifest) => expect(await listSchemaFaults(manifest)).toEqual([]),
  );

  it('have no field that the types of Kubernetes do not know', () => {
    expect(listUnknownFields(manifests)).toEqual([]);
    const [misspelled] = structuredClone([find('Deployment')]);
    misspelled.spec.template.spec.containers[0].livnessProbe = {};
    expect(listUnknownFields([misspelled])).toHaveLength(1);
  });

  it('are all named by the kustomization', () => {
    const { resources } = parse(readFileSync(join(PLAIN, 'kustomization.yaml'), 'utf8'));
    const files = readdirSync(PLAIN).filter((name) => name !== 'kustomization.yaml');
    expect(resources.toSorted()).toEqual(files.toSorted());
  });

  it('lead to the pods: services, disruption budget, network policy and autoscaler', () => {
    const { labels } = pod().metadata;
    const selectors = [
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('Service', 'integration-gateway-metrics').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
      find('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const { kind, name } = find('HorizontalPodAutoscaler').spec.scaleTargetRef;
    expect(find(kind, name)).toBe(find('Deployment'));
  });

  it('name ports that the container has', () => {
    const named = container().ports.map(({ name }: { name: string }) => name);
    const wanted = manifests.flatMap((manifest) =>
      [...JSON.stringify(manifest).matchAll(/"(?:targetPort|port)":"([^"]+)"/g)].map(([, name]) => name),
    );
    expect(wanted.length).toBeGreaterThan(5);
    expect([...new Set(wanted)].toSorted()).toEqual(named.toSorted());
  });

  it('give the gateway settings that it starts with, its secrets by files', () => {
    const { data } = find('ConfigMap');
    const mount = container().volumeMounts.find(({ name }: { name: string }) => name === 'secrets').mountPath;
    const secrets: Record<string, string> = {
      'database-url': 'postgresql://gateway:password@db.example.com/gateway',
      'encryption-keys': `k1:${Buffer.alloc(32).toString('base64')}`,
      'setup-token': 'a-token-of-the-first-set-up',
    };
    const env: Record<string, string> = { HOST: '0.0.0.0' };
    for (const [name, value] of Object.entries<string>(data)) {
      if (!name.endsWith('_FILE')) env[name] = value;
      else env[name.slice(0, -'_FILE'.length)] = secrets[value.slice(mount.length + 1)] ?? '';
    }
    const config = loadConfig(env, '/');
    const ports = container().ports.map(({ containerPort }: { containerPort: number }) => containerPort);
    expect([config.port, config.metricsPort]).toEqual(ports);
    expect(config).toMatchObject({ databaseUrl: secrets['database-url'], publicUrl: data.PUBLIC_URL });
    const hosts = [config.publicUrl, config.proxyUrl, config.webhookUrl].map(
      (url) => new URL(url ?? '').hostname,
    );
    expect(find('Ingress').spec.rules.map(({ host }: { host: string }) => host)).toEqual(hosts);
    // Longer than the gateway takes at most, so that it is never killed while it drains.
    const drainSeconds = (Number(data.SHUTDOWN_DELAY_MS) + Number(data.SHUTDOWN_TIMEOUT_MS)) / 1000;
    expect(pod().spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 6);
  });

  it('leave no secret among the settings: the chart knows which variables are some', () => {
    const schema = JSON.parse(readFileSync(join(ROOT, CHART_SCHEMA), 'utf8'));
    // Read by its own rule: Vault's clients know the file of the token by that name.
    expect(schema.definitions.secretVariable.enum).toEqual([...SECRET_VARIABLES, 'VAULT_TOKEN']);
  });

  it('run without root rights, capabilities, a writable file system and the token of the cluster', () => {
    expect(pod().spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container().securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('ask the addresses that the gateway answers with whether it lives and is ready', () => {
    const { startupProbe, readinessProbe, livenessProbe } = container();
    expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/readyz',
      '/readyz',
      '/livez',
    ]);
  });
});
