import { ensureChromium, findHeadlessShell } from './find-chromium.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

/** `npm test`: finds or installs the browser, then runs jest. Arguments go to jest. */
exitWith(async () => {
  const whole = ensureChromium();
  const env = { ...process.env, HEADLESS_SHELL_PATH: findHeadlessShell() ?? whole, CHROMIUM_PATH: whole };
  const run = await runJest(process.argv.slice(2), env);
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
