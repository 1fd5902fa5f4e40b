import { type LogOutputOptions, openLogOutput } from '../../src/platform/log-output.ts';
import { until } from '../support/until.ts';

type Fault = 'none' | 'full' | 'busy' | 'half then full';

/** An output of which a test says whether it takes what is written. */
function start() {
  const state = { fault: 'none' as Fault, taken: '', tries: 0, nowMs: 0 };
  const attempt = (bytes: Buffer): number => {
    state.tries += 1;
    if (state.fault === 'full') throw Object.assign(new Error(), { code: 'ENOSPC' });
    if (state.fault === 'busy') throw Object.assign(new Error(), { code: 'EAGAIN' });
    const count = state.fault === 'none' ? bytes.length : 5;
    if (state.fault === 'half then full') state.fault = 'full';
    state.taken += bytes.toString('utf8', 0, count);
    return count;
  };
  const options: LogOutputOptions = {
    fd: -1,
    now: () => state.nowMs,
    writeSync: (_fd, bytes) => attempt(bytes),
    write: (_fd, bytes, written) => {
      setImmediate(() => {
        try {
          written(null, attempt(bytes));
        } catch (error) {
          written(error instanceof Error ? error : new Error(), 0);
        }
      });
    },
  };
  return { state, output: openLogOutput(options) };
}

const line = (name: string) => `{"msg":"${name}"}\n`;
const messages = (text: string) => text.split('\n').filter((one) => one !== '');

describe('an output without space', () => {
  it('drops and counts its lines, and says how many are missing once there is space', async () => {
    const { state, output } = start();
    state.fault = 'full';
    output.write(line('one'));
    output.write(line('two'));
    await until(() => output.droppedLines() === 2);
    // Not tried again within the second.
    output.write(line('three'));
    expect([output.droppedLines(), state.tries]).toEqual([3, 1]);
    state.nowMs = 1_000;
    output.write(line('four'));
    await until(() => output.droppedLines() === 4);
    state.fault = 'none';
    state.nowMs = 2_000;
    output.write(line('five'));
    await until(() => state.taken !== '');
    expect(messages(state.taken).map((text) => JSON.parse(text))).toEqual([
      { level: 'warn', time: '1970-01-01T00:00:02.000Z', lines: 4, msg: 'log lines could not be written' },
      { msg: 'five' },
    ]);
    output.write(line('six'));
    await until(() => state.taken.endsWith(line('six')));
    expect(messages(state.taken)).toHaveLength(3);
    expect(output.droppedLines()).toBe(4);
  });

  it('never mixes a line that broke off with the next one', async () => {
    const { state, output } = start();
    state.fault = 'half then full';
    output.write(line('one'));
    await until(() => output.droppedLines() === 1);
    state.fault = 'none';
    state.nowMs = 1_000;
    output.write(line('two'));
    await until(() => state.taken.endsWith(line('two')));
    expect(messages(state.taken)).toHaveLength(3);
  });

  it.each(['full', 'half then full', 'busy'] as const)(
    'does not hold up the end of the process: %s',
    (fault) => {
      const { state, output } = start();
      state.fault = fault;
      output.write(line('one'));
      output.flushSync();
      output.write(line('two'));
      output.flushSync();
      expect(output.droppedLines()).toBe(2);
    },
  );
});

describe('an output that is busy', () => {
  it('gets every line in its order once it takes them', async () => {
    const { state, output } = start();
    state.fault = 'busy';
    output.write(line('one').repeat(2_000));
    await until(() => state.tries > 1);
    output.write(line('two'));
    state.fault = 'none';
    await until(() => state.taken.endsWith(line('two')));
    expect(messages(state.taken)).toHaveLength(2_001);
    expect(output.droppedLines()).toBe(0);
  });

  it('holds a bounded number of lines', async () => {
    const { state, output } = start();
    state.fault = 'busy';
    const long = line('x'.repeat(100_000));
    for (let count = 0; count < 200; count += 1) output.write(long);
    expect(output.droppedLines()).toBeGreaterThan(50);
    state.fault = 'none';
    await until(() => messages(state.taken).length > 1);
    output.write(line('last'));
    await until(() => state.taken.endsWith(line('last')));
    const said = messages(state.taken).filter((text) => text.includes('could not be written'));
    expect(said).toHaveLength(1);
    expect(messages(state.taken)).toHaveLength(200 - output.droppedLines() + 2);
  });

  it('gets what it had begun before the end of the process', async () => {
    const { state, output } = start();
    state.fault = 'busy';
    output.write(line('one').repeat(2_000));
    await until(() => state.tries > 0);
    state.fault = 'none';
    output.write(line('two'));
    output.flushSync();
    expect(messages(state.taken)).toHaveLength(2_001);
  });
});
