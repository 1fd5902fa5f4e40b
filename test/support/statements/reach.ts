import { parseSync } from 'libpg-query';
import { createKeys, type Key, type Keys, VALUE } from './keys.ts';
import { NOTHING, type Output, rename, type Source, toSource } from './sources.ts';
import {
  findStatements,
  isConstant,
  isStar,
  isTree,
  nameParts,
  stripCasts,
  type Tree,
  take,
  takeList,
  takeText,
} from './tree.ts';

/** What a judgement has to know of the tables: which are distributed by which column, and the columns of each. */
export type Distribution = {
  readonly keyOf: (table: string) => string | undefined;
  readonly hasColumn: (table: string, column: string) => boolean;
};

export type Reach = {
  /** Distributed tables of the statement. */
  readonly tables: readonly string[];
  /** Those of them that it reaches without naming their key: every shard would be asked. */
  readonly unnamed: readonly Unnamed[];
};

export type Unnamed = {
  readonly table: string;
  /** The columns of ids and secrets by which rows are found instead. */
  readonly by: readonly string[];
};

type Scope = {
  readonly parent: Scope | undefined;
  readonly sources: Map<string, Source>;
  readonly outputs: Map<string, Output>;
};

/** A distributed table at one place of the statement, with its columns as far as they were asked for. */
type Met = { readonly table: string; readonly key: Key; readonly columns: Map<string, Key> };

/** Names of columns that find rows. */
const POINTER = /(?:^|_)(?:id|hash|set|url)$/;

/**
 * Which distributed tables these statements reach, and whether each is compared with a value, or by an equality with another
 * that is. Postgres's own parser reads them. What is compared under an OR counts as not compared.
 */
export function judgeReach(sql: string, distribution: Distribution): Reach {
  const judge = new ReachJudge(distribution);
  for (const { kind, statement } of findStatements(parseSync(sql))) judge.visit(kind, statement, undefined);
  return judge.conclude();
}

class ReachJudge {
  readonly #distribution: Distribution;
  readonly #keys: Keys = createKeys();
  readonly #met: Met[] = [];
  readonly #visited = new WeakSet<Tree>();

  constructor(distribution: Distribution) {
    this.#distribution = distribution;
  }

  conclude(): Reach {
    const unnamed = this.#met.filter(({ key }) => !this.#keys.isSame(key, VALUE));
    return {
      tables: [...new Set(this.#met.map(({ table }) => table))].sort(),
      unnamed: unnamed.map((met) => ({ table: met.table, by: this.#listGiven(met) })),
    };
  }

  /** Columns that are compared with a value, or with a column of another table. */
  #listGiven({ columns }: Met): string[] {
    const others = this.#met
      .filter((met) => met.columns !== columns)
      .flatMap((met) => [...met.columns.values()]);
    const isGiven = (key: Key) => [VALUE, ...others].some((other) => this.#keys.isSame(key, other));
    return [...columns].flatMap(([name, key]) => (POINTER.test(name) && isGiven(key) ? name : [])).sort();
  }

  visit(kind: string, statement: Tree, parent: Scope | undefined): Output {
    this.#visited.add(statement);
    const scope: Scope = { parent, sources: new Map(), outputs: new Map() };
    for (const item of takeList(take({ x: statement.withClause }, 'x'), 'ctes')) this.#addNamed(item, scope);
    if (kind === 'InsertStmt') return this.#visitInsert(statement, scope);
    if (kind === 'SelectStmt') return this.#visitSelect(statement, scope);
    this.#addSource({ RangeVar: statement.relation }, scope);
    for (const item of [...takeList(statement, 'fromClause'), ...takeList(statement, 'usingClause')]) {
      this.#addSource(item, scope);
    }
    this.#compare(statement.whereClause, scope);
    this.#visitWithin(statement.targetList, scope);
    return this.#readOutput(takeList(take({ x: statement.returningClause }, 'x'), 'exprs'), scope);
  }

  #addNamed(item: unknown, scope: Scope): void {
    const named = take(item, 'CommonTableExpr');
    for (const { kind, statement } of findStatements(named?.ctequery)) {
      // A recursive one reads what its first half gives.
      const [first] = [...findStatements({ SelectStmt: statement.larg })];
      const name = takeText(named, 'ctename') ?? '';
      if (first !== undefined && isTree(statement.larg)) {
        scope.outputs.set(name, rename(this.visit('SelectStmt', first.statement, scope), named));
      }
      scope.outputs.set(name, rename(this.visit(kind, statement, scope), named));
    }
  }

  #visitSelect(statement: Tree, scope: Scope): Output {
    if (isTree(statement.larg) && isTree(statement.rarg)) {
      const left = this.visit('SelectStmt', statement.larg, scope);
      const right = this.visit('SelectStmt', statement.rarg, scope);
      const columns = left.columns.map(({ name, key }, at) => ({
        name,
        key: right.columns[at]?.key === undefined ? undefined : key,
      }));
      return { columns, stars: left.stars };
    }
    const rows = takeList(statement, 'valuesLists').map((row) => takeList(take(row, 'List'), 'items'));
    if (rows.length > 0) {
      this.#visitWithin(rows, scope);
      const first = rows[0] ?? [];
      const key = (at: number) => this.#commonKey(rows.map((row) => this.#readKey(row[at], scope)));
      return { columns: first.map((_item, at) => ({ name: `column${at + 1}`, key: key(at) })), stars: [] };
    }
    for (const item of takeList(statement, 'fromClause')) this.#addSource(item, scope);
    this.#compare(statement.whereClause, scope);
    const rest = ['havingClause', 'sortClause', 'groupClause', 'limitCount', 'limitOffset'];
    for (const member of rest) this.#visitWithin(statement[member], scope);
    return this.#readOutput(takeList(statement, 'targetList'), scope);
  }

  #visitInsert(statement: Tree, scope: Scope): Output {
    const table = takeText(take({ x: statement.relation }, 'x'), 'relname') ?? '';
    const source = this.#addSource({ RangeVar: statement.relation }, scope)[0];
    const key = this.#distribution.keyOf(table);
    const columns = takeList(statement, 'cols').map((item) => takeText(take(item, 'ResTarget'), 'name'));
    const [given] = [...findStatements(statement.selectStmt)];
    const output =
      given === undefined
        ? NOTHING
        : this.visit(given.kind, given.statement, { ...scope, sources: new Map() });
    const own = key === undefined ? undefined : source?.resolve(key);
    const value = key === undefined ? undefined : output.columns[columns.indexOf(key)]?.key;
    if (own !== undefined && value !== undefined) this.#keys.join(own, value);
    this.#visitWithin(statement.onConflictClause, scope);
    return this.#readOutput(takeList(take({ x: statement.returningClause }, 'x'), 'exprs'), scope);
  }

  #readOutput(targets: readonly unknown[], scope: Scope): Output {
    this.#visitWithin(targets, scope);
    const stars: Source[] = [];
    const columns = targets.flatMap((item) => {
      const target = take(item, 'ResTarget');
      const fields = takeList(take(target?.val, 'ColumnRef'), 'fields');
      if (take(fields.at(-1), 'A_Star') !== undefined || isStar(fields.at(-1))) {
        const of = takeText(take(fields[0], 'String'), 'sval');
        const sources = [...scope.sources].filter(([name]) => of === undefined || of === name);
        stars.push(...sources.map(([, source]) => source));
        return sources.flatMap(([, { names = [], resolve }]) =>
          names.map((name) => ({ name, key: resolve(name) })),
        );
      }
      const name = takeText(target, 'name') ?? nameParts(target?.val).at(-1) ?? '';
      return [{ name, key: this.#readKey(target?.val, scope) }];
    });
    return { columns, stars };
  }

  /** Adds what stands in FROM; gives the sources that came with it. */
  #addSource(item: unknown, scope: Scope): Source[] {
    const join = take(item, 'JoinExpr');
    if (join !== undefined) return this.#addJoin(join, scope);
    const range = take(item, 'RangeVar');
    const inner = take(item, 'RangeSubselect');
    const call = take(item, 'RangeFunction');
    const members = range ?? inner ?? call;
    const alias = take({ x: members?.alias }, 'x');
    const name = takeText(alias, 'aliasname') ?? takeText(range, 'relname') ?? `#${scope.sources.size}`;
    let source: Source | undefined;
    if (range !== undefined) source = this.#openTable(range, alias, scope);
    else if (inner !== undefined) {
      for (const { kind, statement } of findStatements(inner.subquery)) {
        source = toSource(rename(this.visit(kind, statement, scope), { aliascolnames: alias?.colnames }));
      }
    } else if (call !== undefined) source = this.#openCall(call, alias, scope);
    if (source === undefined) return [];
    scope.sources.set(name, source);
    return [source];
  }

  #addJoin(join: Tree, scope: Scope): Source[] {
    const left = this.#addSource(join.larg, scope);
    const right = this.#addSource(join.rarg, scope);
    for (const item of takeList(join, 'usingClause')) {
      const column = takeText(take(item, 'String'), 'sval') ?? '';
      for (const one of left) {
        for (const other of right) this.#join(one.resolve(column), other.resolve(column));
      }
    }
    this.#compare(join.quals, scope);
    return [...left, ...right];
  }

  #openTable(range: Tree, alias: Tree | undefined, scope: Scope): Source {
    const table = takeText(range, 'relname') ?? '';
    const schema = takeText(range, 'schemaname');
    for (let at: Scope | undefined = scope; at !== undefined && schema === undefined; at = at.parent) {
      const output = at.outputs.get(table);
      if (output !== undefined) return toSource(rename(output, { aliascolnames: alias?.colnames }));
    }
    const isOurs = schema === undefined || schema === 'public';
    const column = isOurs ? this.#distribution.keyOf(table) : undefined;
    if (column === undefined) {
      return { resolve: () => undefined, has: (name) => this.#distribution.hasColumn(table, name) };
    }
    const columns = new Map([[column, this.#keys.add()]]);
    this.#met.push({ table, key: columns.get(column) ?? VALUE, columns });
    return {
      resolve: (name) => {
        const key = columns.get(name) ?? this.#keys.add();
        columns.set(name, key);
        return key;
      },
      has: (name) => this.#distribution.hasColumn(table, name),
    };
  }

  /** Rows that a function makes: values, where it is given nothing else. */
  #openCall(call: Tree, alias: Tree | undefined, scope: Scope): Source {
    this.#visitWithin(call.functions, scope);
    const items = takeList(call, 'functions').flatMap((item) => takeList(take(item, 'List'), 'items'));
    const isGiven = items
      .filter(isTree)
      .filter((item) => Object.keys(item).length > 0)
      .every((item) => this.#isValue(item, scope));
    const names = takeList(alias, 'colnames').map((name) => takeText(take(name, 'String'), 'sval'));
    const defined = takeList(call, 'coldeflist').map((item) => takeText(take(item, 'ColumnDef'), 'colname'));
    const known = [...names, ...defined, takeText(alias, 'aliasname')].filter((name) => name !== undefined);
    return {
      names: known,
      resolve: (name) => (isGiven && known.includes(name) ? VALUE : undefined),
      has: (name) => known.includes(name),
    };
  }

  #isValue(node: unknown, scope: Scope): boolean {
    const key = this.#readKey(node, scope);
    return key !== undefined && this.#keys.isSame(key, VALUE);
  }

  #compare(node: unknown, scope: Scope): void {
    this.#linkAll(node, scope);
    this.#visitWithin(node, scope);
  }

  #linkAll(node: unknown, scope: Scope): void {
    const all = take(node, 'BoolExpr');
    if (all?.boolop === 'AND_EXPR') for (const item of takeList(all, 'args')) this.#linkAll(item, scope);
    const comparison = take(node, 'A_Expr');
    const isEqual = takeText(take(takeList(comparison, 'name')[0], 'String'), 'sval') === '=';
    if (comparison !== undefined && isEqual) this.#link(comparison.lexpr, comparison.rexpr, scope);
    const within = take(node, 'SubLink');
    if (within?.subLinkType !== 'ANY_SUBLINK') return;
    for (const { kind, statement } of findStatements(within.subselect)) {
      const { columns } = this.visit(kind, statement, scope);
      const tests = take(within.testexpr, 'RowExpr');
      const list = tests === undefined ? [within.testexpr] : takeList(tests, 'args');
      for (const [at, test] of list.entries()) this.#join(this.#readKey(test, scope), columns[at]?.key);
    }
  }

  #link(left: unknown, right: unknown, scope: Scope): void {
    const [rows, others] = [take(left, 'RowExpr'), take(right, 'RowExpr')];
    if (rows !== undefined && others !== undefined) {
      const list = takeList(others, 'args');
      for (const [at, one] of takeList(rows, 'args').entries()) this.#link(one, list[at], scope);
      return;
    }
    const items = take(right, 'List');
    const keys =
      items === undefined
        ? [this.#readKey(right, scope)]
        : takeList(items, 'items').map((one) => this.#readKey(one, scope));
    this.#join(this.#readKey(left, scope), this.#commonKey(keys));
  }

  #commonKey(keys: readonly (Key | undefined)[]): Key | undefined {
    const [first] = keys;
    if (first === undefined || keys.length === 1) return first;
    return keys.every((key) => key !== undefined && this.#keys.isSame(key, VALUE)) ? VALUE : undefined;
  }

  #join(one: Key | undefined, other: Key | undefined): void {
    if (one !== undefined && other !== undefined) this.#keys.join(one, other);
  }

  /** What an expression stands for: a value of the caller's, or a column. */
  #readKey(node: unknown, scope: Scope): Key | undefined {
    const bare = stripCasts(node);
    if (take(bare, 'ParamRef') !== undefined || isConstant(bare)) return VALUE;
    const call = take(bare, 'FuncCall') ?? take(bare, 'A_ArrayExpr');
    if (call !== undefined) {
      const given = [...takeList(call, 'args'), ...takeList(call, 'elements')];
      return given.length > 0 && given.every((item) => this.#isValue(item, scope)) ? VALUE : undefined;
    }
    const parts = nameParts(bare);
    return parts.length === 0 ? undefined : this.#readColumn(parts, scope);
  }

  #readColumn(parts: readonly string[], scope: Scope): Key | undefined {
    const column = parts.at(-1) ?? '';
    const table = parts.at(-2);
    for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
      const found =
        table === undefined
          ? [...at.sources.values()].find((source) => source.has(column))
          : at.sources.get(table);
      if (found !== undefined) return found.resolve(column);
    }
    return undefined;
  }

  #visitWithin(node: unknown, scope: Scope): void {
    for (const { kind, statement } of findStatements(node)) {
      if (!this.#visited.has(statement)) this.visit(kind, statement, scope);
    }
  }
}
