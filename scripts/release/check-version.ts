import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGES, ROOT, readManifest, readVersion } from './packages.ts';

/** Files that write the version out, and where. */
const WRITTEN_IN = [
  ['deploy/helm/integration-gateway/Chart.yaml', /^appVersion: (\S+)/m],
  ['deploy/kubernetes/kustomization.yaml', /newTag: (\S+)/],
  ['docs/deploying.md', /docker build -t \S+:(\S+)/],
  ['docs/node-client.md', /integration-gateway-node-(\S+)\.tgz/],
  ['docs/sdk.md', /integration-gateway-sdk-(\S+)\.tgz/],
] as const;

/**
 * A step of the release: one version everywhere, and words about it. In the workflow also that the tag is the version's and the
 * repository the one that packages name, since npm's provenance compares them.
 */
export function listVersionFaults(env: Readonly<Record<string, string | undefined>> = {}): string[] {
  const version = readVersion();
  const faults: string[] = [];
  const compare = (where: string, found: unknown) => {
    if (found !== version) faults.push(`${where} says ${String(found)}, package.json ${version}`);
  };
  for (const { folder } of PACKAGES.filter(({ folder }) => folder !== 'dist/server'))
    compare(`${folder}/package.json`, readManifest(folder).version);
  for (const document of ['docs/openapi.json', 'docs/released-api.json'])
    compare(document, JSON.parse(readFileSync(join(ROOT, document), 'utf8')).info?.version);
  for (const [file, pattern] of WRITTEN_IN) compare(file, find(file, pattern));
  faults.push(...listChangelogFaults(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version));
  if (env.GITHUB_REF_TYPE === 'tag' && env.GITHUB_REF_NAME !== `v${version}`)
    faults.push(`the tag is ${env.GITHUB_REF_NAME}, not v${version}`);
  const { url } = readManifest('.').repository;
  if (env.GITHUB_REPOSITORY !== undefined && !url.endsWith(`/${env.GITHUB_REPOSITORY}.git`))
    faults.push(`package.json names the repository ${url}, and this is ${env.GITHUB_REPOSITORY}`);
  return faults;
}

function find(file: string, pattern: RegExp): string | undefined {
  return pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1];
}

/** The version has a heading with its day, and the changes to come one of their own above it. */
export function listChangelogFaults(changelog: string, version: string): string[] {
  const headings = changelog.split('\n').filter((line) => line.startsWith('## '));
  const isDated = (line: string) => line.startsWith(`## ${version} - `) && /\d{4}-\d{2}-\d{2}$/.test(line);
  return [
    ...(headings[0] === '## Unreleased' ? [] : ['the first heading of CHANGELOG.md is not Unreleased']),
    ...(headings.some(isDated) ? [] : [`CHANGELOG.md has no heading "${version} - <day>"`]),
  ];
}

if (import.meta.main) {
  const faults = listVersionFaults(process.env);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`version ${readVersion()}`);
}
