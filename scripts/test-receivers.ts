import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { RECEIVER_CHECKS, RECEIVERS, startEventReceiver } from '../test/support/event-receivers.ts';
import { exitWith, printCounts } from './run-jest.ts';

type Toolchain = {
  /** Prints the version where everything that the program needs is there, and fails where it is not. */
  readonly version: readonly string[];
  /** On Debian. */
  readonly packages: string;
  readonly run: readonly string[];
  readonly cwd?: string;
};

const TOOLCHAINS: Readonly<Record<string, Toolchain>> = {
  flask: {
    version: [
      'python3',
      '-c',
      'import sys, importlib.metadata as m; print("Flask", m.version("flask"), "on Python", sys.version.split()[0])',
    ],
    packages: 'python3-flask',
    run: ['python3', '-c', 'import os; from app import app; app.run(port=int(os.environ["PORT"]))'],
    cwd: join(RECEIVERS, 'flask'),
  },
  rails: {
    version: [
      'ruby',
      '-e',
      'require "sqlite3"; require "puma"; require "active_record"; require "rails"; puts "Rails #{Rails.version} on Ruby #{RUBY_VERSION}"',
    ],
    packages: 'ruby-rails ruby-sqlite3 puma',
    run: ['sh', '-c', 'exec puma --quiet --bind "tcp://127.0.0.1:$PORT" config.ru'],
    cwd: join(RECEIVERS, 'rails'),
  },
  go: {
    version: ['go', 'version'],
    packages: 'golang-go',
    run: [
      'sh',
      '-c',
      `go build -o "$INBOX_FOLDER/receiver" '${join(RECEIVERS, 'go/main.go')}' && exec "$INBOX_FOLDER/receiver"`,
    ],
  },
  java: {
    version: ['javac', '-version'],
    packages: 'default-jdk-headless',
    run: ['java', join(RECEIVERS, 'java/Receiver.java')],
  },
};

/**
 * `npm run test:receivers [name…]`: runs the programs below examples/receivers that are not for Node, each with its own
 * toolchain, and says which ones it could not run because that is missing. A receiver that is named must run.
 */
exitWith(async () => {
  const named = process.argv.slice(2);
  const counts = { passed: 0, failed: 0 };
  for (const [name, toolchain] of Object.entries(TOOLCHAINS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const version = versionOf(toolchain);
    if (version === undefined) {
      console.log(`${name}: not run, needs ${toolchain.packages}`);
      if (named.includes(name)) counts.failed += 1;
      continue;
    }
    console.log(`${name}: ${version}`);
    const faults = await checkReceiver(toolchain);
    counts.failed += faults.length;
    counts.passed += Object.keys(RECEIVER_CHECKS).length - faults.length;
    for (const fault of faults) console.log(`  failed: ${fault}`);
  }
  printCounts(counts);
  return counts.failed === 0 ? 0 : 1;
});

function versionOf({ version: [command = '', ...rest] }: Toolchain): string | undefined {
  const { status, stdout } = spawnSync(command, rest, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

async function checkReceiver({ run, cwd }: Toolchain): Promise<string[]> {
  const receiver = await startEventReceiver(run, cwd === undefined ? {} : { cwd });
  try {
    const faults: string[] = [];
    for (const [claim, check] of Object.entries(RECEIVER_CHECKS)) {
      const fault = await check(receiver);
      if (fault !== '') faults.push(`${claim}: ${fault}`);
    }
    return faults;
  } finally {
    await receiver.stop();
  }
}
