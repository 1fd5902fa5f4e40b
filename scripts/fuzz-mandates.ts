import { parseArgs } from 'node:util';
import { judgeAttacks, sendAttacks } from '../test/support/mandate-fuzzer.ts';

/**
 * `npm run fuzz:mandates`: calls outside of a mandate, of which none may pass the rule or reach the provider. Prints the seed, by
 * which a failure can be repeated.
 */
const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    calls: { type: 'string', default: '100000' },
    wire: { type: 'string', default: '5000' },
  },
});
const seed = Number(options.seed);
const passed = judgeAttacks(seed, Number(options.calls));
const { reached, answers } = await sendAttacks(seed + 1, Number(options.wire));
const lines = [
  `seed ${seed}`,
  `${options.calls} calls judged, ${passed.length} passed`,
  `${options.wire} calls sent, ${reached.length} reached the provider`,
  ...[...answers].map(([name, count]) => `  ${count} ${name}`),
  ...passed.slice(0, 20).map((attack) => JSON.stringify(attack)),
  ...reached.slice(0, 20),
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = passed.length + reached.length === 0 ? 0 : 1;
