import { ensureChromium } from './find-chromium.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

/** `npm test`: finds or installs the browser, then runs jest. Arguments go to jest. */
exitWith(async () => {
  const env = { ...process.env, CHROMIUM_PATH: ensureChromium() };
  const run = await runJest(process.argv.slice(2), env);
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
