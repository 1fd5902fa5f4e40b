import { join, resolve } from 'node:path';

export const EXAMPLES_FOLDER = resolve(import.meta.dirname, '../apps');

export type Example = {
  readonly name: string;
  /** Its one command, in its folder. */
  readonly start: readonly string[];
  /** What its API key may do; none is made where `.env.example` asks for none. */
  readonly scopes: readonly string[];
  /** `page`: a web application. `link`: an application on a phone, played by a browser. `terminal`: no page of its own. */
  readonly kind: 'page' | 'link' | 'terminal';
  /** A command that succeeds where its toolchain is there, and what Debian calls it; Node's is always there. */
  readonly toolchain?: { readonly probe: readonly string[]; readonly packages: string };
};

const npm = { start: ['npm', 'start'], kind: 'page', scopes: ['users:tokens'] } as const;

export const EXAMPLES: readonly Example[] = [
  { name: 'express', ...npm },
  { name: 'fastify', ...npm },
  { name: 'nextjs', ...npm },
  { name: 'sveltekit', ...npm },
  { name: 'vue', ...npm },
  { name: 'mobile', ...npm, kind: 'link' },
  { name: 'agent', ...npm, kind: 'terminal', scopes: ['users:tokens', 'events:read'] },
  {
    ...{ name: 'fastapi', start: ['sh', 'start.sh'], kind: 'page', scopes: ['users:tokens'] },
    toolchain: {
      probe: [
        '/usr/bin/python3',
        '-c',
        'import fastapi, uvicorn, jwt, cryptography, itsdangerous, multipart',
      ],
      packages:
        'python3-fastapi python3-uvicorn python3-jwt python3-cryptography python3-itsdangerous python3-multipart',
    },
  },
  {
    ...{ name: 'go', start: ['sh', 'start.sh'], kind: 'page', scopes: ['users:tokens'] },
    toolchain: { probe: ['go', 'version'], packages: 'golang-go' },
  },
];

/** The example's folder in this repository. */
export function findFolder({ name }: Example): string {
  return join(EXAMPLES_FOLDER, name);
}

export function findExample(name: string | undefined): Example {
  const found = EXAMPLES.find((example) => example.name === name);
  if (found !== undefined) return found;
  throw new Error(`Name one of the examples: ${EXAMPLES.map((example) => example.name).join(', ')}`);
}
