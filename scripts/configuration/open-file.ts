import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { showText } from '../../src/approvals/show-text.ts';
import { listReferences, writeReference } from '../../src/configuration/references.ts';
import { type MergedSource, readSource } from '../../src/configuration/source.ts';
import { readYamlDocument } from '../../src/configuration/yaml/read-document.ts';
import { HttpError, type InputFault } from '../../src/http/errors.ts';

/** Something is wrong with a file; the message says all. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

export type OpenedFile = {
  readonly source: MergedSource;
  /** Values by what references name. Never printed. */
  readonly secrets: Readonly<Record<string, string>>;
  /** References without a value here, as they stand in the file. */
  readonly missing: readonly string[];
  /** Faults as lines: `file:line:column: where: what`. */
  describe(faults: readonly InputFault[]): string;
};

const SECRET_BYTES_MAX = 64 * 1024;

/** Reads a file with what is laid over it, and the values of its references. Throws FileError. */
export async function openFile(
  file: string,
  overlays: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenedFile> {
  const describe = (faults: readonly InputFault[]) =>
    faults.map((fault) => describeFault([file, ...overlays], fault)).join('\n');
  const source = await readSource(async (_project, text) => readYamlDocument(text), '', {
    configuration: readText(file),
    overlays: overlays.map(readText),
  }).catch((error: unknown) => {
    throw error instanceof HttpError ? new FileError(describe(error.errors ?? [])) : error;
  });
  const references = listReferences(source.value);
  const values = references.map((reference) => [reference, resolveReference(reference, file, env)] as const);
  const secrets = values.flatMap(([reference, value]) => (value === undefined ? [] : [[reference, value]]));
  const missing = values.flatMap(([reference, value]) =>
    value === undefined ? [writeReference(reference)] : [],
  );
  return { source, secrets: Object.fromEntries(secrets), missing, describe };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new FileError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

/** A line end after a secret in a file is the editor's. */
function resolveReference(
  reference: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, kind, name = ''] = /^(env|file):(.*)$/.exec(reference) ?? [];
  if (kind === 'env') return env[name];
  const path = resolve(dirname(file), name);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const text = readText(path);
  if (text.length > SECRET_BYTES_MAX) throw new FileError(`${path} is larger than a secret may be.`);
  return text.replace(/\r?\n$/, '');
}

function describeFault(files: readonly string[], { path, message, line, column }: InputFault): string {
  const [label = '', ...steps] = path.split('.');
  const isOverlay = label === 'overlays';
  const file = files[isOverlay ? Number(steps[0]) + 1 : 0] ?? '';
  const place = line === undefined ? '' : `:${line}:${column}`;
  const where = steps.slice(isOverlay ? 1 : 0).join('.');
  return showText(`${file}${place}: ${where === '' ? '' : `${where}: `}${message}`);
}
