import { createSharedLimits } from '../../src/platform/limits/shared-limits.ts';
import { createAdmission } from '../../src/proxy/admission.ts';
import { createShedding } from '../../src/proxy/shedding.ts';
import { LIMITS } from '../support/proxy-harness.ts';

/** A process whose event loop is late when a test says so. */
function startProcess() {
  let ms = 0;
  let work = 0;
  let tick = (): void => undefined;
  const shedding = createShedding({
    now: () => ms,
    schedule(run) {
      tick = run;
      return () => undefined;
    },
  });
  /** The tick is as late as the work of its calls makes it, a millisecond for each. */
  const end = (): void => {
    ms += Math.max(100, work);
    work = 0;
    tick();
  };
  /** Calls of projects in one tick, in turns as they arrive; how many of each go on. */
  const call = (wanted: Record<string, number>): Record<string, number> => {
    const admitted: Record<string, number> = Object.fromEntries(Object.keys(wanted).map((id) => [id, 0]));
    const most = Math.max(...Object.values(wanted));
    for (let round = 0; round < most; round += 1) {
      for (const [id, count] of Object.entries(wanted)) {
        if (round >= count || shedding.isShed(id)) continue;
        shedding.noteAdmitted(id);
        work += 1;
        admitted[id] = (admitted[id] ?? 0) + 1;
      }
    }
    return admitted;
  };
  return { shedding, end, call };
}

describe('shedding', () => {
  it('refuses nothing while the event loop keeps up, whoever calls how often', () => {
    const { end, call } = startProcess();
    for (let round = 0; round < 20; round += 1) {
      expect(call({ bulk: 100, small: 3 })).toEqual({ bulk: 100, small: 3 });
      end();
    }
  });

  it('refuses calls of the project that has most while the loop lags, and none of those below their share', () => {
    const { end, call } = startProcess();
    let last = { bulk: 0, small: 0 } as Record<string, number>;
    for (let round = 0; round < 20; round += 1) {
      last = call({ bulk: 1_000, small: 10 });
      expect(last.small).toBe(10);
      end();
    }
    expect(last.bulk).toBeLessThan(400);
    expect(last.bulk).toBeGreaterThan(50);
  });

  it('verifies fewer unknown tokens while the loop lags', () => {
    const { shedding, end, call } = startProcess();
    expect(shedding.mayVerify()).toBe(true);
    for (let round = 0; round < 10; round += 1) {
      call({ one: 600 });
      end();
    }
    const verified = Array.from({ length: 1_000 }, () => shedding.mayVerify()).filter(Boolean);
    expect(verified.length).toBeLessThan(1_000);
    expect(verified.length).toBeGreaterThan(0);
  });

  it('admits more and more again when the loop keeps up', () => {
    const { end, call } = startProcess();
    for (let round = 0; round < 10; round += 1) {
      call({ bulk: 1_000 });
      end();
    }
    for (let round = 0; round < 60; round += 1) {
      call({ bulk: 90 });
      end();
    }
    expect(call({ bulk: 300 })).toEqual({ bulk: 300 });
  });
});

describe('a process with little room left', () => {
  it('refuses the project that holds most of it, and takes calls of others', () => {
    const user = createSharedLimits({ peers: () => 1 }).limit({ name: 'user' });
    const admission = createAdmission({ ...LIMITS, concurrency: { total: 10, perProject: 9 } }, user);
    const begin = (projectId: string): string => {
      try {
        admission.enter(projectId).enterUser({ projectId, subject: 'mia' });
        return 'goes on';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    for (let call = 0; call < 7; call += 1) expect(begin('bulk')).toBe('goes on');
    expect(begin('small')).toBe('goes on');
    expect([begin('bulk'), begin('small'), begin('other')]).toEqual(['overloaded', 'goes on', 'goes on']);
    expect(begin('small')).toBe('overloaded');
  });
});
