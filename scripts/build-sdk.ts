import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const SDK = resolve(import.meta.dirname, '../src/web/sdk');
export const SDK_DIST = join(SDK, 'dist');

/** Syntax that every browser of the last three years understands. */
const SHARED: BuildOptions = {
  bundle: true,
  minify: true,
  write: false,
  target: 'es2022',
  platform: 'browser',
  legalComments: 'none',
  absWorkingDir: SDK,
};

/** What the browser SDK is made of, by path below `dist`: scripts for browsers, a React module, and types. */
export async function buildSdk(): Promise<Map<string, string>> {
  const [module, script, react] = await Promise.all([
    bundle({ entryPoints: ['connect.ts'], format: 'esm' }),
    bundle({ entryPoints: ['connect.ts'], format: 'iife', globalName: 'IntegrationGateway' }),
    bundle({
      entryPoints: ['react.ts'],
      format: 'esm',
      external: ['react'],
      banner: { js: '"use client";' },
    }),
  ]);
  return new Map([
    ['connect.js', module],
    ['connect.global.js', script],
    ['react.js', react],
    ...declarations(),
  ]);
}

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...SHARED, ...options });
  const text = outputFiles?.[0]?.text;
  if (text === undefined) throw new Error('esbuild made no file');
  return text;
}

/** The type declarations, as `tsc` writes them. */
function declarations(): [string, string][] {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sdk-types-'));
  try {
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin/tsc',
    );
    const settings = [
      '-p',
      SDK,
      '--noEmit',
      'false',
      '--declaration',
      '--emitDeclarationOnly',
      '--outDir',
      folder,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...settings], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The SDK's types could not be made:\n${stdout}${stderr}`);
    return (
      readdirSync(folder)
        .sort()
        // The published package has no sources: its types name each other's scripts, as usual.
        .map((name) => [
          `types/${name}`,
          readFileSync(join(folder, name), 'utf8').replaceAll(/(?<=from '\.\/[\w-]+)\.ts'/g, ".js'"),
        ])
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
