import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSurfaceChanges } from './surface.ts';

const RELEASED =
  '# sdk connect.d.ts\nexport type Options = {\n    a: string;\n    b: string;\n};\n\n# sdk more.d.ts\nexport {};\n\n';

test('a member more is no change that callers notice', () => {
  assert.deepEqual(listSurfaceChanges(RELEASED, RELEASED.replace('    b', '    c?: string;\n    b')), []);
});

test('a member that goes or changes is named with its file', () => {
  assert.deepEqual(listSurfaceChanges(RELEASED, RELEASED.replace('    b: string', '    b: number')), [
    'sdk connect.d.ts: b: string;',
  ]);
});

test('a file that goes takes all that it declared', () => {
  assert.deepEqual(listSurfaceChanges(RELEASED, RELEASED.replace(/# sdk more[\s\S]*$/, '')), [
    'sdk more.d.ts: export {};',
  ]);
});
