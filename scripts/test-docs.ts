import { ensureDocs } from './build-docs.ts';
import { browserEnvironment } from './find-chromium.ts';
import { installPackage } from './install-package.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

/**
 * `npm run test:docs`: builds the documents, runs every block of commands and code in them, follows every link of the built site, and
 * looks at it in a browser. Arguments go to jest; with some of them nothing is built.
 */
exitWith(async () => {
  const given = process.argv.slice(2);
  if (given.length === 0) await ensureDocs();
  else installPackage('site');
  const run = await runJest(['--config=test/documents/long/jest.config.mjs', ...given], {
    ...process.env,
    ...browserEnvironment(),
  });
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
