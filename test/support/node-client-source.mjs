import { registerHooks } from 'node:module';

const SOURCE = new URL('../../clients/node/src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@integration-gateway/node'
      ? { url: SOURCE, shortCircuit: true, format: 'module-typescript' }
      : next(specifier, context),
});
