import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DOCS = resolve(import.meta.dirname, '../../docs');
const COMMANDS: ReadonlySet<string> = new Set(['sh', 'bash', 'console', 'shell']);
/** What a fence of commands may say beside its language. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['no-run', 'background', 'browser', 'gateway', 'title']);

/** A block of commands of a page. */
export type CommandBlock = {
  readonly page: string;
  readonly line: number;
  readonly commands: string;
  /** What the page says that they print, in their order. */
  readonly printed: readonly string[];
  /** `no-run`: why no test runs it. `background`: it goes on, once this was printed. `gateway`: `new`, one that is not set up yet. */
  readonly attributes: ReadonlyMap<string, string>;
};

/** A block of a program: its language, and its text. */
export type CodeBlock = {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
};

/** Every page below docs/, by its path there. */
export function listPages(): string[] {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted();
}

export function readPage(page: string): string {
  return readFileSync(join(DOCS, page), 'utf8');
}

/** The blocks of commands of a page. Throws where a fence says what no runner knows. */
export function listCommandBlocks(page: string): CommandBlock[] {
  return listFences(page)
    .filter(({ info }) => COMMANDS.has(info.split(' ')[0] ?? ''))
    .map(({ info, code, line }) => {
      const lines = code.split('\n');
      return {
        page,
        line,
        commands: lines.filter((text) => !text.startsWith('# → ')).join('\n'),
        printed: lines.flatMap((text) => (text.startsWith('# → ') ? [text.slice('# → '.length)] : [])),
        attributes: readAttributes(page, line, info),
      };
    });
}

export function listCodeBlocks(page: string): CodeBlock[] {
  return listFences(page)
    .filter(({ info }) => info !== '' && !COMMANDS.has(info.split(' ')[0] ?? ''))
    .map(({ info, code, line }) => ({ page, line, language: info.split(' ')[0] ?? '', code }));
}

function listFences(page: string): { info: string; code: string; line: number }[] {
  const text = readPage(page);
  return [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: info = '', 3: code = '' }) => ({
      info: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index).split('\n').length,
    }),
  );
}

function readAttributes(page: string, line: number, info: string): Map<string, string> {
  const rest = info.replace(/^\w+/, '');
  const found = [...rest.matchAll(/ ([\w-]+)="([^"]+)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const unknown = found.filter(([name]) => !ATTRIBUTES.has(name));
  const isWhole = found.map(([name, value]) => ` ${name}="${value}"`).join('') === rest;
  if (unknown.length > 0 || !isWhole)
    throw new Error(`${page}:${line} has a fence that is not understood: ${info}`);
  return new Map(found);
}
