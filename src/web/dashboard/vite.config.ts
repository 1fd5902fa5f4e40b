import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dashboard:dev` passes on what is not the dashboard's own. */
const GATEWAY = 'http://localhost:3000';
const SERVED_BY_GATEWAY = [
  '/v1',
  '/auth',
  '/logos',
  '/catalog',
  '/docs',
  '/openapi.json',
  '/livez',
  '/connect',
  '/oauth',
  '/sdk',
];

/**
 * Left to itself the bundler makes a script of whatever two pages share, hundreds of them, and each costs a request
 * (decision 0067). What many pages use is one script instead; charts and texts are loaded where they are needed.
 */
const SHARED = {
  name: 'shared',
  test: (id: string) => !/uplot|\/locales\/|\/texts\/en\//.test(id),
  minShareCount: 16,
};

/**
 * Chromium compiles every function of a script that begins with this while it loads, off the main thread, in place of each
 * at its first call (decision 0067). Other browsers read a comment. It has to be the first line, also before Vite's own.
 */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

/** Says so of what every page begins with. */
const compileAhead: Plugin = {
  name: 'compile-ahead',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const part of Object.values(bundle))
        if (part.type === 'chunk' && (part.isEntry || part.name === SHARED.name))
          part.code = COMPILE_AHEAD + part.code;
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  // The router of the gateway puts a fresh nonce in its place in every reply.
  html: { cspNonce: 'CSP_NONCE' },
  plugins: [compileAhead],
  // Translations are read whole.
  json: { namedExports: false },
  build: {
    outDir: resolve(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: [SHARED] } },
      onLog: (level, log, pass) => {
        // Every module of Mantine has "use client", which means nothing outside a server that renders React.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') pass(level, log);
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(SERVED_BY_GATEWAY.map((path) => [path, GATEWAY])),
  },
});
