import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, '../corpus');
/** Of a file: a larger input says nothing that its parts do not. */
export const FILE_BYTES_MAX = 4 * 1024;
/** Of a target, so that replaying all of them stays a matter of seconds. */
export const FILES_MAX = 150;

const fileSchema = z.strictObject({
  /** What it brought about when it was kept, for readers. */
  brought: z.string(),
  input: z.unknown(),
});

export type Kept<Input> = { readonly name: string; readonly input: Input };

/** The inputs of a target that were kept, by the names of their files. Throws for a file that is no input of it. */
export function readCorpus<Input>(target: string, schema: z.ZodType<Input>): Kept<Input>[] {
  return listFiles(target).map((name) => {
    const file = fileSchema.parse(JSON.parse(readFileSync(join(FOLDER, target, name), 'utf8')));
    return { name, input: schema.parse(file.input) };
  });
}

/** The size in bytes of each file that is kept for a target. */
export function listSizes(target: string): number[] {
  return listFiles(target).map((name) => readFileSync(join(FOLDER, target, name)).length);
}

/** Keeps an input unless it is there already, too large, or one too many. Answers whether it is there now. */
export function keepInput(target: string, input: unknown, brought: string): boolean {
  const name = `${createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 16)}.json`;
  const files = listFiles(target);
  if (files.includes(name)) return true;
  const text = `${JSON.stringify({ brought: brought.slice(0, 400), input }, null, 2)}\n`;
  if (files.length >= FILES_MAX || Buffer.byteLength(text) > FILE_BYTES_MAX) return false;
  mkdirSync(join(FOLDER, target), { recursive: true });
  writeFileSync(join(FOLDER, target, name), text);
  return true;
}

function listFiles(target: string): string[] {
  try {
    return readdirSync(join(FOLDER, target))
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch {
    return [];
  }
}
