import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = [
  'src',
  'test',
  'test-clients',
  'test-agents',
  'test-deploy',
  'test-kms',
  'scripts',
  'bench',
  'examples',
  'tools',
  'packages',
  'clients',
];
const SKIPPED = /(?:^|\/)(?:node_modules|dist)\/|clients\/node\/src\/api\.ts$/;
/** Each stood for half a dozen different things; the second word is what to write instead. */
const REFUSED = new Map([
  ['told', 'reported, said, notified, or the name of the value'],
  ['anew', 'again'],
  ['moment', 'time, timestamp, briefly'],
  ['moments', 'times, timestamps'],
]);

type Fault = { readonly file: string; readonly line: number; readonly what: string };

/**
 * The lint rule for words, which Biome has none for: it refuses words of `REFUSED` in comments and in names, and
 * exported functions that end in `Of` instead of beginning with a verb. Texts in quotes may say what they like.
 */
function checkFile(path: string): Fault[] {
  const file = relative(ROOT, path);
  const text = readFileSync(path, 'utf8');
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const faults: Fault[] = [];
  const add = (position: number, what: string) =>
    faults.push({ file, line: source.getLineAndCharacterOfPosition(position).line + 1, what });
  const seen = new Set<number>();

  function checkComments(position: number): void {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, position) ?? []),
      ...(ts.getTrailingCommentRanges(text, position) ?? []),
    ];
    for (const { pos, end } of ranges) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      for (const match of text.slice(pos, end).matchAll(/[A-Za-z]+/g)) {
        for (const word of refusedWords(match[0])) add(pos + match.index, `"${word}" in a comment`);
      }
    }
  }

  function visit(node: ts.Node): void {
    if (!ts.isJsxText(node)) checkComments(node.pos);
    checkComments(node.end);
    // The names of stored columns have underscores.
    if (ts.isIdentifier(node) && isDeclared(node) && !/[a-z]_[a-z]/.test(node.text)) {
      for (const word of refusedWords(node.text)) add(node.getStart(), `"${word}" in the name ${node.text}`);
    }
    for (const name of exportedFunctionNames(node)) {
      if (/[a-z0-9]Of$/.test(name))
        add(node.getStart(), `the exported function ${name} does not begin with a verb`);
    }
    // getChildren has the tokens as well, before each of which a comment may stand.
    for (const child of node.getChildren(source)) visit(child);
  }
  visit(source);
  return faults;
}

function refusedWords(name: string): string[] {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((word) => word.toLowerCase());
  return words.filter((word) => REFUSED.has(word));
}

/** A name where it is declared; its uses follow, and may be names of another package. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent);
}

function exportedFunctionNames(node: ts.Node): string[] {
  if (!ts.canHaveModifiers(node)) return [];
  if (!ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isFunctionDeclaration(node)) return node.name === undefined ? [] : [node.name.text];
  if (!ts.isVariableStatement(node)) return [];
  return node.declarationList.declarations.flatMap(({ name, initializer }) =>
    ts.isIdentifier(name) && initializer !== undefined && ts.isArrowFunction(initializer) ? [name.text] : [],
  );
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts') && !SKIPPED.test(`${folder}/${name}`))
    .map((name) => join(ROOT, folder, name)),
);
const faults = files.flatMap(checkFile);
for (const { file, line, what } of faults) console.error(`${file}:${line}: ${what}`);
if (faults.length > 0) {
  for (const [word, better] of REFUSED) console.error(`"${word}": write ${better}`);
  process.exitCode = 1;
}
console.log(`${files.length} files checked for words, ${faults.length} faults`);
