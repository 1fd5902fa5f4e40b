import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Packages of programs and of ES modules alone: `require` of them works from Node 22 on and is not typed. */
const ONLY_ES_MODULES: ReadonlySet<string> = new Set(['CJSResolvesToESM']);

/** What consumers of a packed package would meet, a line each: faults of its package.json, types that do not fit what runs. */
export async function judgePackage(tarball: string, hasTypes: boolean): Promise<string[]> {
  const data = new Uint8Array(readFileSync(tarball));
  const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: 'warning', strict: true });
  const faults = messages.map((message) => `${formatMessage(message, pkg, { color: false })}`);
  if (!hasTypes) return faults;
  const { problems = [] } = Object(await checkPackage(createPackageFromTarballData(data)));
  const types = problems.filter(({ kind, resolutionKind }: { kind: string; resolutionKind?: string }) => {
    // Node 10 knows no `exports`.
    return resolutionKind !== 'node10' && !ONLY_ES_MODULES.has(kind);
  });
  return [...faults, ...types.map((problem: unknown) => JSON.stringify(problem))];
}
