import { z } from 'zod';

/**
 * Text of an input, as the corpus keeps it: Latin-1, so that every byte has a character; a run is its unit and a count, so that
 * a file stays small whatever it stands for. `{{name}}` stands for a value of the stage, such as a token.
 */
export const pieceSchema = z.union([
  z.string(),
  z.strictObject({ run: z.string(), times: z.int().min(0).max(2_000_000) }),
]);
export const textSchema = z.array(pieceSchema);

export type Piece = z.infer<typeof pieceSchema>;
export type Text = readonly Piece[];

/** Values of the stage by the names that stand for them. */
export type Values = Readonly<Record<string, string>>;

/** More would only cost time: the gateway's own limits are below it. */
const RENDERED_MAX = 6 * 1024 * 1024;

export function renderText(text: Text, values: Values): string {
  let length = 0;
  return text
    .map((piece) => {
      const made =
        typeof piece === 'string'
          ? fillIn(piece, values)
          : fillIn(piece.run, values).repeat(
              Math.min(piece.times, Math.floor((RENDERED_MAX - length) / Math.max(1, piece.run.length))),
            );
      length += made.length;
      return made;
    })
    .join('');
}

function fillIn(text: string, values: Values): string {
  return text.includes('{{') ? text.replaceAll(/\{\{(\w+)\}\}/g, (all, name) => values[name] ?? all) : text;
}

/** Joins neighbouring strings, so that equal texts are equal in the corpus. */
export function joinText(...texts: readonly Text[]): Text {
  const joined: Piece[] = [];
  for (const piece of texts.flat()) {
    const last = joined.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece;
    else if (piece !== '') joined.push(piece);
  }
  return joined;
}
