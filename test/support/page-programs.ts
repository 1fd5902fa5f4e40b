import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** A program that a page for people shows. */
export type Program = { readonly language: string; readonly code: string };

/** The JavaScript that a page shows, in its order. */
export function listPrograms(text: string): Program[] {
  return [...text.matchAll(/^( *)```(jsx?)\n([\s\S]*?)^\1```/gm)].map(
    ([, indent, language = '', code = '']) => ({
      language,
      code: code
        .replaceAll(new RegExp(`^${indent}`, 'gm'), '')
        .replace('https://gateway.example.com/sdk/connect.js', '@integration-gateway/sdk'),
    }),
  );
}

/**
 * What the type checker says of programs, nothing when it accepts them. `surroundings` declares the names that a reader
 * has. `packages` is the folder, with its `node_modules`, whose packages the programs import.
 */
export async function findTypeErrors(
  programs: readonly Program[],
  { surroundings, packages }: { surroundings: string; packages: string },
): Promise<string> {
  const folder = await mkdtemp(join(ROOT, packages, 'node_modules/.documents-'));
  try {
    await writeFile(join(folder, 'surroundings.d.ts'), surroundings);
    for (const [index, { language, code }] of programs.entries()) {
      await writeFile(join(folder, `program-${index + 1}.${language}`), code);
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...SETTINGS, include: ['./*'] }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).catch(
      (error) => error,
    );
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const SETTINGS = {
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['node'],
    jsx: 'react-jsx',
    allowJs: true,
    checkJs: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    // The programs are judged, not the packages that they import.
    skipLibCheck: true,
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    // Each program is a module, whether it imports anything or not.
    moduleDetection: 'force',
    paths: {
      '@integration-gateway/sdk': [join(ROOT, 'src/web/sdk/dist/types/connect.d.ts')],
      '@integration-gateway/sdk/react': [join(ROOT, 'src/web/sdk/dist/types/react.d.ts')],
      '@integration-gateway/node': [join(ROOT, 'clients/node/src/index.ts')],
    },
  },
};
