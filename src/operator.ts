import { loadConfig } from './config.ts';
import { runOperatorCommand } from './process/operator-command.ts';

/**
 * `npm run operator`: operators, their passwords and tokens, for an administrator of the server. See
 * operator-command.ts.
 */
runOperatorCommand(process.argv.slice(2), loadConfig, {
  input: process.stdin,
  write: (line) => process.stdout.write(`${line}\n`),
  print: (line) => process.stderr.write(`${line}\n`),
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
