import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BoundTarget,
  describeFinding,
  type Finding,
  type FuzzReport,
} from '../test/fuzz/engine/fuzz.ts';
import { type FuzzStage, startFuzzStage } from '../test/fuzz/engine/stage.ts';
import { TARGETS } from '../test/fuzz/targets/all.ts';
import { meterEnvironment, openEventLoopMeter } from '../test/support/event-loop.ts';
import setUp from '../test/support/jest-setup.ts';
import tearDown from '../test/support/jest-teardown.ts';
import { spawnGateway } from '../test/support/spawn-gateway.ts';

/**
 * `npm run fuzz -- --minutes 10 [--target http] [--seed 1] [--keep]`: inputs of strangers to a gateway in a process of its own. What
 * does not hold is printed with the least input that shows it, and fails the run. With `--keep`, inputs that show something
 * new are written into the corpus, which `npm test` sends first.
 */
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    target: { type: 'string', multiple: true },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    keep: { type: 'boolean', default: false },
  },
});

/** A stage of its own for so many inputs: logs are held in memory, and limits on forged tokens fill. */
const INPUTS_PER_STAGE = 4_000;

const names = TARGETS.map(({ name }) => name);
const unknown = (options.target ?? []).filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`There is no target ${unknown.join(', ')}; there are ${names.join(', ')}.`);
const targets = TARGETS.filter(({ name }) => options.target?.includes(name) ?? true);
const print = (line: string) => process.stdout.write(`${line}\n`);

async function openStage(): Promise<FuzzStage> {
  const socketPath = join(tmpdir(), `meter-${randomBytes(6).toString('hex')}.sock`);
  let count = 0;
  return startFuzzStage({
    start: spawnGateway,
    options: async () => {
      count += 1;
      return { env: count === 1 ? meterEnvironment(socketPath) : {} };
    },
    openMeter: () => openEventLoopMeter(socketPath),
  });
}

type Total = {
  inputs: number;
  ms: number;
  behaviours: number;
  worst: FuzzReport['worst'];
  findings: Finding[];
};

async function run(target: BoundTarget, minutes: number, seed: number): Promise<Total> {
  const known = new Set<string>();
  const total: Total = { inputs: 0, ms: 0, behaviours: 0, worst: { loopMs: 0, input: '' }, findings: [] };
  for (let round = 0; total.ms < minutes * 60_000 && total.findings.length === 0; round += 1) {
    const stage = await openStage();
    try {
      const begun = performance.now();
      const isOver = () => total.ms + performance.now() - begun > minutes * 60_000;
      const reports = round === 0 ? [await target.replay(stage, known)] : [];
      reports.push(
        await target.fuzz(stage, {
          seed: seed + round,
          count: INPUTS_PER_STAGE,
          isOver,
          isKeeping: options.keep,
          known,
        }),
      );
      for (const { inputs, findings, worst } of reports) {
        total.inputs += inputs;
        total.findings.push(...findings);
        if (worst.loopMs > total.worst.loopMs) total.worst = worst;
      }
      total.ms += performance.now() - begun;
    } finally {
      await stage.close();
    }
  }
  total.behaviours = known.size;
  return total;
}

await setUp();
const totals: [string, Total][] = [];
for (const target of targets) {
  const total = await run(target, Number(options.minutes) / targets.length, Number(options.seed));
  totals.push([target.name, total]);
  const perSecond = (total.inputs / (total.ms / 1000)).toFixed(0);
  print(
    `${target.name}: ${total.inputs} inputs in ${(total.ms / 1000).toFixed(0)} s (${perSecond} a second), ${total.behaviours} behaviours, ` +
      `${total.findings.length} findings; the thread's longest time for one input ${total.worst.loopMs.toFixed(1)} ms`,
  );
  if (total.worst.loopMs > 20) print(`  ${total.worst.input}`);
  for (const finding of total.findings) print(describeFinding(finding));
}
await tearDown();
print(`seed ${options.seed}`);
process.exitCode = totals.every(([, { findings }]) => findings.length === 0) ? 0 : 1;
