import { browserEnvironment } from './find-chromium.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

/** `npm test`: finds or installs the browser, then runs jest. Arguments go to jest. */
exitWith(async () => {
  const run = await runJest(process.argv.slice(2), { ...process.env, ...browserEnvironment() });
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
