import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashHex, listArtifacts, ROOT, readManifest, readVersion, releaseFolder } from './packages.ts';
import { runProgram } from './run-program.ts';

/**
 * A step of the release: <folder>/provenance.json, from which commit and by which scripts the files were made (in-toto statement,
 * SLSA 1.0). It names the machine that said so; npm's and the attestations of the workflow are the signed ones.
 */
const folder = releaseFolder();
const git = (...parts: string[]) => runProgram('git', parts, ROOT).trim();
const commit = git('rev-parse', 'HEAD');
const { url } = readManifest('.').repository;
const repository = url.replace(/^git\+|\.git$/g, '');
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
const isInWorkflow = GITHUB_RUN_ID !== undefined;
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: listArtifacts(folder).map((path) => ({ name: path, digest: digestOf(join(folder, path)) })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: `${repository}/tree/main/scripts/release`,
      externalParameters: { version: readVersion() },
      internalParameters: {
        node: process.version,
        npm: runProgram('npm', ['--version'], ROOT).trim(),
        // Files that are not of the commit; none in a workflow.
        changed: git('status', '--porcelain') !== '',
      },
      resolvedDependencies: [
        { uri: `${url}@${commit}`, digest: { gitCommit: commit } },
        { uri: 'package-lock.json', digest: digestOf(join(ROOT, 'package-lock.json')) },
      ],
    },
    runDetails: {
      builder: { id: isInWorkflow ? run : `${repository}/local` },
      metadata: { startedOn: git('log', '-1', '--format=%cI') },
    },
  },
};
writeFileSync(join(folder, 'provenance.json'), `${JSON.stringify(statement, null, 2)}\n`);
console.log(`provenance.json: ${commit}`);

function digestOf(path: string) {
  const content = readFileSync(path);
  return { sha256: hashHex('sha256', content), sha512: hashHex('sha512', content) };
}
