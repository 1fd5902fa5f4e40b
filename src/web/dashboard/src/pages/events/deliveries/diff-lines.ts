export type DiffLine = {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  readonly key: string;
};

/** Longer texts are compared to this line only. */
const LINES_MAX = 200;

/** The lines of both texts in one list: what they share once, what one lacks beside it. By longest common subsequence. */
export function diffLines(beforeAll: readonly string[], afterAll: readonly string[]): DiffLine[] {
  const before = beforeAll.slice(0, LINES_MAX);
  const after = afterAll.slice(0, LINES_MAX);
  const lengths = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  const add = (kind: DiffLine['kind'], text: string) => lines.push({ kind, text, key: `${i}/${j}/${kind}` });
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      add('same', old);
      i += 1;
      j += 1;
    } else if (
      old !== undefined &&
      (fresh === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      add('removed', old);
      i += 1;
    } else if (fresh !== undefined) {
      add('added', fresh);
      j += 1;
    }
  }
  return lines;
}

/** How many lines the rests from i and j on have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] =
        before[i] === after[j]
          ? (lengths[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
