/** How many numbers each command of an SVG path takes. */
const ARITY: Readonly<Record<string, number>> = {
  m: 2,
  l: 2,
  h: 1,
  v: 1,
  c: 6,
  s: 4,
  q: 4,
  t: 2,
  a: 7,
  z: 0,
};
const NUMBER = /^[\s,]*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i;
/** The two flags of an arc may stand without a separator. */
const FLAG = /^[\s,]*([01])/;

/** Width and height of an SVG path, with control points counted as if they were on it: near enough for its proportions. */
export function measurePath(path: string): { readonly width: number; readonly height: number } {
  const points = pointsOf(path);
  const extent = (axis: 0 | 1) => {
    const values = points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  };
  return { width: extent(0), height: extent(1) };
}

function pointsOf(path: string): [x: number, y: number][] {
  const points: [number, number][] = [];
  let here: [number, number] = [0, 0];
  let start = here;
  for (const [, command = '', text = ''] of path.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const kind = command.toLowerCase();
    const groups = groupsOf(kind, text);
    for (const numbers of groups) {
      const [baseX, baseY] = command === kind ? here : [0, 0];
      if (kind === 'h') points.push([baseX + (numbers[0] ?? 0), here[1]]);
      else if (kind === 'v') points.push([here[0], baseY + (numbers[0] ?? 0)]);
      else {
        const pairs = kind === 'a' ? numbers.slice(5) : numbers;
        for (let at = 0; at < pairs.length; at += 2)
          points.push([baseX + (pairs[at] ?? 0), baseY + (pairs[at + 1] ?? 0)]);
      }
      here = points.at(-1) ?? here;
    }
    if (kind === 'm') start = groups.length > 1 ? (points.at(-groups.length) ?? start) : here;
    if (kind === 'z') here = start;
  }
  return points;
}

/** A command's numbers, as many in each group as the command takes. */
function groupsOf(kind: string, text: string): number[][] {
  const arity = ARITY[kind] ?? 0;
  const groups: number[][] = [];
  let rest = text;
  while (arity > 0 && rest.trim() !== '') {
    const group: number[] = [];
    for (let index = 0; index < arity; index += 1) {
      const found = (kind === 'a' && (index === 3 || index === 4) ? FLAG : NUMBER).exec(rest);
      if (found === null) throw new Error(`no path: ${kind}${text}`);
      group.push(Number(found[1]));
      rest = rest.slice(found[0].length);
    }
    groups.push(group);
  }
  return groups;
}
