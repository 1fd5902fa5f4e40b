import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listChangelogFaults, listVersionFaults } from '../../scripts/release/check-version.ts';
import { PACKAGES, ROOT, readManifest } from '../../scripts/release/packages.ts';
import { VERSION } from '../../src/settings/version.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const folders = PACKAGES.map(({ folder }) => folder).filter((folder) => folder !== 'dist/server');

describe('a release', () => {
  it('has one version: packages, documents, chart, manifests and the changelog', () => {
    expect(listVersionFaults()).toEqual([]);
  });

  it('is refused under another tag, and from another repository than its packages name', () => {
    expect(
      listVersionFaults({
        GITHUB_REF_TYPE: 'tag',
        GITHUB_REF_NAME: 'v9.9.9',
        GITHUB_REPOSITORY: 'another/repository',
      }),
    ).toEqual([
      `the tag is v9.9.9, not v${VERSION}`,
      expect.stringMatching(/names the repository .*, and this is another\/repository$/),
    ]);
    expect(listVersionFaults({ GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' })).toEqual([]);
  });

  it('needs a heading in the changelog with its day, below the changes to come', () => {
    expect(listChangelogFaults('## Unreleased\n\n## 1.0.0 - 2027-01-01\n', '1.0.0')).toEqual([]);
    expect(listChangelogFaults('## 1.0.0 - soon\n', '1.0.0')).toHaveLength(2);
  });

  it('names the same repository and licence in each package, and gives the licence along', () => {
    const own = readManifest('.');
    for (const folder of folders) {
      const { license, repository } = readManifest(folder);
      expect({ license, repository }).toEqual({
        license: own.license,
        repository: { ...own.repository, directory: folder },
      });
      expect(read(join(folder, 'LICENSE'))).toBe(read('LICENSE'));
    }
  });

  it('runs steps that there are', () => {
    const steps = [...read('scripts/release/run.ts').matchAll(/'((?:scripts|tools)\/[\w/-]+\.ts)'/g)];
    expect(steps.length).toBeGreaterThan(8);
    for (const [, step = ''] of steps)
      expect({ step, exists: existsSync(join(ROOT, step)) }).toEqual({ step, exists: true });
  });
});
