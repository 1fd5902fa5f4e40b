import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLACES } from '../../scripts/error-help/help.ts';
import { errorCodesPage } from '../../scripts/generate-error-codes-page.ts';
import { FINDING_CODES } from '../../src/diagnosis/finding-texts.ts';
import { ERROR_CODES, publicCode } from '../../src/http/error-codes.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = errorCodesPage();

describe('docs/error-codes.md', () => {
  it('is what the tables make', () => {
    expect(read('docs/error-codes.md')).toBe(page);
  });

  it('says of every code who mends it, what it comes from, and where an operator looks', () => {
    for (const code of ERROR_CODES) {
      const part = page
        .split(/^## /m)
        .find((one) => one.startsWith(`${publicCode(code)}\n`) || one.includes(`(${code})\n`));
      for (const row of ['mends it', 'comes from', 'remedy', 'an operator looks at']) {
        expect(part).toMatch(new RegExp(`^\\| ${row} \\| \\S`, 'm'));
      }
    }
  });

  it('names settings, metrics and findings that there are', () => {
    const settings = [...page.matchAll(/\b[A-Z]{3,}(?:_[A-Z]+)+\b/g)].map(([name]) => name);
    const known = `${read('.env.example')}\n${read('docs/operations.md')}`;
    expect(settings.filter((name) => !known.includes(name))).toEqual([]);
    const operations = read('docs/operations.md');
    const metrics = [
      ...Object.values(PLACES)
        .join(' ')
        .matchAll(/`(gateway_[a-z_]+)/g),
    ].map(([, name = '']) => name);
    expect(metrics.length).toBeGreaterThan(5);
    expect(metrics.filter((name) => !operations.includes(name))).toEqual([]);
    const findings = [...page.matchAll(/finding `([a-z_]+)`/g)].map(([, code]) => code);
    expect(findings.filter((code) => !FINDING_CODES.some((known) => known === code))).toEqual([]);
  });
});
