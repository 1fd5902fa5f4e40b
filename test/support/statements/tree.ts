/** A node of Postgres's parse tree: `{ SelectStmt: { … } }` or its members. */
export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a node of this kind, undefined for nodes of other kinds. */
export function take(node: unknown, kind: string): Tree | undefined {
  if (!isTree(node)) return undefined;
  const members = node[kind];
  return isTree(members) ? members : undefined;
}

export function takeList(node: Tree | undefined, member: string): readonly unknown[] {
  const value = node?.[member];
  return Array.isArray(value) ? value : [];
}

export function takeText(node: Tree | undefined, member: string): string | undefined {
  const value = node?.[member];
  return typeof value === 'string' ? value : undefined;
}

/** The parts of a name: `c.project_id` is two, a star none. */
export function nameParts(node: unknown): readonly string[] {
  return takeList(take(node, 'ColumnRef'), 'fields').flatMap(
    (field) => takeText(take(field, 'String'), 'sval') ?? [],
  );
}

/** Without its casts. */
export function stripCasts(node: unknown): unknown {
  const cast = take(node, 'TypeCast');
  return cast === undefined ? node : stripCasts(cast.arg);
}

const STATEMENTS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

/** Every statement within this node that is a scope of its own, not those within them. */
export function* findStatements(node: unknown): Generator<{ kind: string; statement: Tree }> {
  if (Array.isArray(node)) {
    for (const item of node) yield* findStatements(item);
    return;
  }
  if (!isTree(node)) return;
  for (const kind of STATEMENTS) {
    const statement = take(node, kind);
    if (statement !== undefined) {
      yield { kind, statement };
      return;
    }
  }
  for (const value of Object.values(node)) yield* findStatements(value);
}

export const isStar = (node: unknown) => isTree(node) && Object.hasOwn(node, 'A_Star');

export function isConstant(node: unknown): boolean {
  const constant = take(node, 'A_Const');
  return constant !== undefined && constant.isnull !== true;
}
