import fc from 'fast-check';
import { mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';
import { readTarget } from '../../src/proxy/target.ts';

/**
 * Providers read one path in many ways, alone and one after another. Whatever a mandate for reading lets pass must be no
 * write in any of these readings.
 */
const READINGS: readonly ((path: string) => string)[] = [
  (path) => path.toLowerCase(),
  (path) => path.replace(/%[0-9a-f]{2}/gi, (text) => String.fromCharCode(Number.parseInt(text.slice(1), 16))),
  (path) => path.replace(/\/{2,}/g, '/'),
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => path.replace(/\/$/, ''),
  (path) => path.replace(/\.(?:json|xml)$/, ''),
];

/** Every reading of a path, by any order of the rules above. */
function readingsOf(path: string): Set<string> {
  const known = new Set([path]);
  for (const one of known) for (const read of READINGS) known.add(read(one));
  return known;
}

const WRITES = ['/users/delete', '/bin/empty'];
const BATCH = ['/composite/batch'];
const READS = ['/objects/search'];
const FORBIDDEN = new Set([...WRITES, ...BATCH]);

/** Another spelling of the same path, character by character. */
const spelled = (path: string) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: path.length, maxLength: path.length })
    .map((dice) => [...path].map((character, index) => respell(character, dice[index] ?? 0)).join(''));

function respell(character: string, die: number): string {
  if (die === 0) return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  if (die === 1) return character.toUpperCase();
  if (die === 2 && character === '/') return '//';
  if (die === 3 && character === '/') return ';v=1/';
  if (die === 4 && character === '/') return '%2f';
  return character;
}

const anyPath = fc.oneof(
  ...[...FORBIDDEN, ...READS].map((path) =>
    fc
      .tuple(spelled(path), fc.constantFrom('', '/', '.json', '.XML', ';x', '/x'))
      .map(([text, tail]) => text + tail),
  ),
  fc.webPath(),
);

const mandate = compileMandate(
  mandateEntriesSchema.parse([
    { type: 'gateway_access', provider: 'demo', access: 'read', paths: ['/**'] },
    { type: 'gateway_access', provider: 'demo', access: 'read' },
  ]),
);

function isAllowed(
  method: string,
  path: string,
  rawHeaders: readonly string[] = [],
  hasBody = false,
): boolean {
  const target = readTarget(`/projects/p/proxy/demo${path}`);
  // What the proxy refuses for its form never comes to a mandate.
  if (target.kind !== 'proxy') return false;
  const { isAllowed: allowed } = mandate.decide({
    ...{ provider: target.provider, host: target.host, rawPath: target.rawPath, rawQuery: target.rawQuery },
    ...{ connectionId: 'c', method, rawHeaders, hasBody },
    facts: { reads: READS, writes: WRITES, batch: BATCH },
  });
  return allowed;
}

it('no spelling of a path that changes something passes as a read', () => {
  let allowed = 0;
  fc.assert(
    fc.property(fc.constantFrom('GET', 'HEAD'), anyPath, (method, path) => {
      if (!isAllowed(method, path)) return;
      allowed += 1;
      for (const reading of readingsOf(path)) expect(FORBIDDEN).not.toContain(reading);
    }),
    { numRuns: 1_500 },
  );
  // The rule refuses what it must, not everything.
  expect(allowed).toBeGreaterThan(100);
});

it('no method but GET and HEAD passes as a read, except a POST to the very path that is listed', () => {
  const methods = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MERGE', 'QUERY');
  fc.assert(
    fc.property(methods, anyPath, fc.boolean(), (method, path, hasBody) => {
      const isListed = method === 'POST' && /^\/objects\/search$/.test(decodeURIComponent(escapeLone(path)));
      const headers = hasBody ? ['Content-Type', 'application/json'] : [];
      if (isAllowed(method, path, headers, hasBody)) expect(isListed).toBe(true);
    }),
    { numRuns: 1_500 },
  );
});

/** A lone percent sign, which `decodeURIComponent` does not take. */
function escapeLone(path: string): string {
  return path.replace(/%(?![0-7][0-9a-f])/gi, '%25').split('?')[0] ?? '';
}
