import { analyse } from 'scslre';
import { attackTexts, parseLiteral, readSourcePatterns } from '../support/source-patterns.ts';

const ATTACK_LENGTH = 32 * 1024;
/** A linear pattern takes less than a millisecond for such a text, a quadratic one half a second. */
const CPU_MS_MAX = 50;

const { literals, made } = readSourcePatterns();

const TRIES = 3;

/** The least of some tries: a collection of garbage that falls into one is not the work's. */
function isSlow(work: () => unknown): boolean {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1000 <= CPU_MS_MAX) return false;
  }
  return true;
}

describe('regular expressions of the source', () => {
  it('backtrack over no input: each is linear by its structure', () => {
    const found = literals.flatMap(({ file, pattern, flags }) => {
      const { reports } = analyse(parseLiteral({ pattern, flags }), { assumeRejectingSuffix: false });
      return reports.map(({ type, exponential }) => `${file}: /${pattern}/${flags} ${type} ${exponential}`);
    });
    expect(literals.length).toBeGreaterThan(150);
    expect(found).toEqual([]);
  });

  it('take texts made against each of them in their stride', () => {
    const slow = literals.filter(({ pattern, flags }) => {
      const regex = new RegExp(pattern, flags);
      return attackTexts(parseLiteral({ pattern, flags }), ATTACK_LENGTH).some((text) =>
        isSlow(() => text.replace(regex, '')),
      );
    });
    expect(slow.map(({ file, pattern }) => `${file}: /${pattern}/`)).toEqual([]);
  });

  it('are written down, but for shapes of variables and names of link members, put together of constants', () => {
    expect(made.sort()).toEqual(['catalog/facts/resolve-url.ts', 'proxy/rewrite-links.ts']);
  });
});
