import type { Key } from './keys.ts';
import { type Tree, take, takeList, takeText } from './tree.ts';

/** What stands in FROM under a name. */
export type Source = {
  readonly resolve: (column: string) => Key | undefined;
  readonly has: (column: string) => boolean;
  /** Its columns in their order, where that is known. */
  readonly names?: readonly string[];
};

/** What a statement gives to the one around it; stars are sources as a whole. */
export type Output = {
  readonly columns: readonly { name: string; key: Key | undefined }[];
  readonly stars: readonly Source[];
};

export const NOTHING: Output = { columns: [], stars: [] };

export function toSource({ columns, stars }: Output): Source {
  const find = (name: string) => columns.find((column) => column.name === name);
  return {
    resolve: (name) => find(name)?.key ?? stars.find((star) => star.has(name))?.resolve(name),
    has: (name) => find(name) !== undefined || stars.some((star) => star.has(name)),
  };
}

/** With the names that an alias gives to the columns. */
export function rename(output: Output, alias: Tree | undefined): Output {
  const names = takeList(alias, 'aliascolnames').map((name) => takeText(take(name, 'String'), 'sval'));
  if (names.length === 0) return output;
  return {
    ...output,
    columns: output.columns.map((column, at) => ({ ...column, name: names[at] ?? column.name })),
  };
}
