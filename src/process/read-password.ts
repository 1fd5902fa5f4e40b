import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../operators/accounts/password.ts';
import { OperatorCommandError } from '../operators/gateway/operator-commands.ts';

export type Terminal = {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** For results alone, so that they can be piped. */
  write(line: string): void;
  /** For people. */
  print(line: string): void;
};

/** Of standard input with `--password-stdin`, of the terminal otherwise. Throws OperatorCommandError. */
export async function readPassword(
  options: { readonly 'password-stdin'?: boolean | undefined },
  terminal: Terminal,
): Promise<string> {
  const password = options['password-stdin']
    ? (await text(terminal.input)).replace(/\r?\n$/, '')
    : await askPassword(terminal);
  if (password.length >= PASSWORD_LENGTH_MIN && password.length <= PASSWORD_LENGTH_MAX) return password;
  throw new OperatorCommandError(
    `A password has ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters; this one has ${password.length}.`,
  );
}

/** Reads a line that nothing shows. */
async function askPassword({ input, print }: Terminal): Promise<string> {
  if (!input.isTTY) {
    throw new OperatorCommandError(
      'There is no terminal to ask for a password. Pipe it in with --password-stdin; in a container, use an interactive one (docker exec -it).',
    );
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  // Only now: the terminal echoes what is typed until the line above has switched it to raw mode.
  print('New password (nothing is shown while you type):');
  const interrupted = new AbortController();
  lines.on('SIGINT', () => interrupted.abort());
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch {
    throw new OperatorCommandError('Interrupted: nothing was changed.');
  } finally {
    lines.close();
  }
}
