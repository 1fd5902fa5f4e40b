import { createBus } from '../../../src/platform/bus/bus.ts';
import { until } from '../../support/until.ts';
import { createMemoryLine } from './memory-carrier.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A process on the line, with what it heard. */
function join(line: ReturnType<typeof createMemoryLine>, processKey: number) {
  const clock = { nowMs: 0 };
  const notices: string[] = [];
  const doubts: boolean[] = [];
  const bus = createBus({
    carrier: line.createCarrier(),
    processKey,
    onNotice: (payload) => notices.push(payload),
    onDoubt: (isUp) => doubts.push(isUp),
    now: () => clock.nowMs,
  });
  bus.start();
  stops.push(bus.stop);
  return { bus, clock, notices, doubts };
}

describe('the bus', () => {
  it('carries notices to every process, its sender included, once each hears itself', async () => {
    const line = createMemoryLine();
    const [one, two] = [join(line, 1), join(line, 2)];
    await until(() => one.bus.isUp() && two.bus.isUp());
    await one.bus.publish(['a', 'b']);
    expect([one.notices, two.notices]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await until(() => one.bus.isHeard(2) && two.bus.isHeard(1));
    expect([one.doubts, two.doubts]).toEqual([[true], [true]]);
  });

  it('raises a doubt where a message was lost, by the next one of its sender', async () => {
    const line = createMemoryLine();
    const [one, two] = [join(line, 1), join(line, 2)];
    await until(() => two.bus.isUp() && two.bus.isHeard(1));
    line.isDropping = true;
    await one.bus.publish(['lost']);
    line.isDropping = false;
    await one.bus.publish(['next']);
    expect(two.notices).toEqual(['next']);
    expect(two.doubts).toEqual([true, true]);
  });

  it('is down as soon as the line is, and up when a process hears itself again', async () => {
    const line = createMemoryLine();
    const { bus, doubts } = join(line, 1);
    await until(() => bus.isUp());
    line.cut();
    expect([bus.isUp(), bus.isHeard(1), doubts]).toEqual([false, false, [true, false]]);
    await expect(bus.publish(['x'])).rejects.toThrow('the line is cut');
    line.isUp = true;
    await until(() => bus.isUp());
    expect(doubts).toEqual([true, false, true]);
  });

  it('is down where a process hears itself no more, though the line says nothing, and forgets silent ones', async () => {
    const line = createMemoryLine();
    const one = join(line, 1);
    const two = join(line, 2);
    await until(() => one.bus.isUp() && one.bus.isHeard(2));
    line.isDropping = true;
    one.clock.nowMs += 5_000;
    await until(() => !one.bus.isUp());
    expect(one.bus.isHeard(2)).toBe(false);
    expect(two.bus.isUp()).toBe(true);
  });

  it('passes over what is of no process of this installation', async () => {
    const line = createMemoryLine();
    const { bus, notices, doubts } = join(line, 1);
    await until(() => bus.isUp());
    const stranger = line.createCarrier();
    for (const text of ['', '{', '{"from":"x"}', '[]']) await stranger.publish(text);
    expect([notices, doubts]).toEqual([[], [true]]);
  });
});
