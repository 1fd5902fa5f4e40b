import { readLiteral, readReference } from '../../src/configuration/references.ts';
import { isRecord } from '../../src/lib/is-record.ts';

/** The name of a file's project as the gateway has it: the project is looked for, and made, by this. */
export function readProjectName(
  secrets: Readonly<Record<string, string>>,
  document: unknown,
): string | undefined {
  const { name } = isRecord(document) && isRecord(document.project) ? document.project : {};
  if (typeof name !== 'string') return undefined;
  const reference = readReference(name);
  return reference === undefined ? readLiteral(name) : secrets[reference];
}
