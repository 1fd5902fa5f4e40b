import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { parseSync } from 'vite';
import { isRecord } from '../../src/lib/is-record.ts';

const SOURCE = resolve(import.meta.dirname, '../../src');

/** A regular expression of the source. */
export type SourcePattern = { readonly file: string; readonly pattern: string; readonly flags: string };

/** Every regular expression literal of the source, and where one is made at run time. */
export function readSourcePatterns(): { literals: SourcePattern[]; made: string[] } {
  const literals: SourcePattern[] = [];
  const made: string[] = [];
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') && !file.endsWith('.tsx')) continue;
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
    visit(program, (node) => {
      if (node.type === 'Literal' && isRecord(node.regex))
        literals.push({ file, pattern: String(node.regex.pattern), flags: String(node.regex.flags) });
      if (node.type === 'NewExpression' && isRecord(node.callee) && node.callee.name === 'RegExp')
        made.push(file);
    });
  }
  return { literals, made };
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see);
  if (!isRecord(node)) return;
  see(node);
  for (const member of Object.values(node)) visit(member, see);
}

export type ParsedLiteral = { readonly pattern: AST.Pattern; readonly flags: AST.Flags };

export function parseLiteral({ pattern, flags }: Pick<SourcePattern, 'pattern' | 'flags'>): ParsedLiteral {
  const parser = new RegExpParser();
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  return {
    pattern: parser.parsePattern(pattern, 0, pattern.length, modes),
    flags: parser.parseFlags(flags),
  };
}

/**
 * Texts of this length that make a backtracking engine try the same characters again: what each repetition repeats,
 * with and without what stands before it, and then something that does not fit.
 */
export function attackTexts({ pattern }: ParsedLiteral, length: number): string[] {
  const texts = new Set<string>();
  for (const { before, body } of repetitionsIn(pattern.alternatives, '')) {
    for (const unit of [body, before + body, before])
      if (unit !== '')
        for (const start of ['', before])
          texts.add(`${start}${unit.repeat(Math.ceil(length / unit.length))}\u0001`);
  }
  return [...texts];
}

type Repetition = { readonly before: string; readonly body: string };

function* repetitionsIn(alternatives: readonly AST.Alternative[], before: string): Generator<Repetition> {
  for (const { elements } of alternatives) {
    let sampled = before;
    for (const element of elements) {
      yield* repetitionsOf(element, sampled);
      sampled += sampleOf(element);
    }
  }
}

function* repetitionsOf(element: AST.Element, before: string): Generator<Repetition> {
  if (element.type === 'Quantifier') {
    yield { before, body: sampleOf(element.element) };
    yield* repetitionsOf(element.element, before);
  }
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    yield* repetitionsIn(element.alternatives, before);
  if (element.type === 'Assertion' && 'alternatives' in element)
    yield* repetitionsIn(element.alternatives, before);
}

/** A short text that the element matches, for most elements. */
function sampleOf(element: AST.Element): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'CharacterSet':
      return sampleOfSet(element);
    case 'CharacterClass':
      return sampleOfClass(element);
    case 'Quantifier':
      return sampleOf(element.element).repeat(Math.max(1, element.min));
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives[0]?.elements.map(sampleOf).join('') ?? '';
    default:
      return '';
  }
}

const CANDIDATES = ['a', '0', ' ', '-', '.', '/', 'é', '\u0001'];

function sampleOfSet(set: AST.CharacterSet): string {
  return CANDIDATES.find((one) => new RegExp(`^${set.raw}$`, 'u').test(one)) ?? 'a';
}

function sampleOfClass({ raw }: AST.CharacterClass): string {
  return CANDIDATES.find((one) => new RegExp(`^${raw}$`).test(one)) ?? 'a';
}
