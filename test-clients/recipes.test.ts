import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTypeErrors, listPrograms } from '../test/support/page-programs.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** What a reader of the lines has. */
const NAMES = `
declare const gateway: string, project: string, projectId: string, userToken: string;
declare function proxy(provider: string): string;
declare function gatewayFetch(addresses: Readonly<Record<string, string>>): typeof fetch;
declare const from: string, to: string, model: string, workspace: string;
declare const accountSid: string, companyId: string, tenantId: string;`;

/** Chargebee's declarations allow two values of `apiPath`; docs/clients.md says so. */
const isDeclaredNarrowly = (code: string) => code.includes("from 'chargebee'");

describe('the lines to copy for providers’ clients', () => {
  it.each(['README.md', 'docs/clients.md'])('in %s are accepted by the type checker', async (page) => {
    const { devDependencies } = JSON.parse(read('test-clients/package.json'));
    const programs = listPrograms(read(page))
      .filter(({ code }) => Object.keys(devDependencies).some((name) => code.includes(`from '${name}`)))
      .filter(({ code }) => !isDeclaredNarrowly(code));
    expect(programs.length).toBeGreaterThan(0);
    expect(await findTypeErrors(programs, { surroundings: NAMES, packages: 'test-clients' })).toBe('');
  });
});
