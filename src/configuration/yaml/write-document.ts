import { stringify } from 'yaml';
import { mapInTurns } from '../../lib/take-turns.ts';

/** Some five milliseconds of writing. */
const LENGTH_PER_TURN = 32 * 1024;

/**
 * A document in YAML, its lists element by element, with turns for other work: a thousand mandates take most of a second,
 * and each reader of them could hold up the calls of all projects.
 */
export async function writeYamlDocument(document: Readonly<Record<string, unknown>>): Promise<string> {
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  const texts = await mapInTurns(members.flatMap(divide), LENGTH_PER_TURN, writePart);
  return texts.join('');
}

type Part = { readonly name: string; readonly value: unknown; readonly isFirst: boolean };

function divide([name, value]: readonly [string, unknown]): Part[] {
  if (!Array.isArray(value) || value.length === 0) return [{ name, value, isFirst: true }];
  return value.map((element, index) => ({ name, value: [element], isFirst: index === 0 }));
}

/** The line with the name of a list stands before its first element alone. */
function writePart({ name, value, isFirst }: Part) {
  const text = stringify({ [name]: value }, { lineWidth: 0, aliasDuplicateObjects: false });
  return { result: isFirst ? text : text.slice(text.indexOf('\n') + 1), length: text.length };
}
