import { createSharedLimits } from '../../src/platform/limits/shared-limits.ts';
import { createAdmission } from '../../src/proxy/admission.ts';
import { LIMITS } from '../support/proxy-harness.ts';

type Concurrency = NonNullable<Parameters<typeof createAdmission>[0]['concurrency']>;

/** Calls of one user on one connection, each with the code of its refusal, if it is refused. */
function startCalls(concurrency: Concurrency) {
  const admission = createAdmission(
    { ...LIMITS, concurrency },
    createSharedLimits({ peers: () => 1 }).limit({ name: 'user' }),
  );
  const codeOf = (step: () => void): string | undefined => {
    try {
      step();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return {
    codeOf,
    admission,
    /** A call that has taken all of its places; undefined where it is refused, and has given them back. */
    begin(names: { user?: string; project?: string; connection?: string; origin?: string } = {}) {
      const { user = 'mia', project = 'p', connection = 'c', origin = 'https://api.acme.example' } = names;
      const permit = admission.enter('p');
      const code = codeOf(() => {
        permit.enterUser({ projectId: project, subject: user });
        permit.enterConnection(connection, origin);
      });
      if (code === undefined) return permit;
      permit.leave();
      expect(code).toBe('rate_limited');
      return undefined;
    },
  };
}

describe('calls in flight', () => {
  it.each<[keyof Concurrency, object]>([
    ['perUser', { user: 'ada' }],
    ['perProject', { user: 'ada', project: 'q' }],
    ['perConnection', { connection: 'd' }],
    ['perOrigin', { origin: 'https://other.example' }],
  ])('are as many as %s allows, whichever of them end; others go on', (limit, others) => {
    const { begin } = startCalls({ [limit]: 2 });
    const [one, two] = [begin(), begin()];
    expect([one === undefined, two === undefined, begin()]).toEqual([false, false, undefined]);
    expect(begin(others)).toBeDefined();
    one?.leave();
    const three = begin();
    expect([three === undefined, begin()]).toEqual([false, undefined]);
    two?.leave();
    three?.leave();
    const [four, five] = [begin(), begin()];
    expect([four === undefined, five === undefined, begin()]).toEqual([false, false, undefined]);
  });

  it('are as many as one process may have', () => {
    const { admission, codeOf } = startCalls({ total: 1 });
    const permit = admission.enter('p');
    expect(codeOf(() => admission.enter('p'))).toBe('overloaded');
    permit.leave();
    expect(codeOf(() => admission.enter('p'))).toBeUndefined();
  });

  it('with tokens that are being verified are counted for their project until they are', () => {
    const { admission, codeOf } = startCalls({ perProject: 1 });
    const permit = admission.enter('p');
    expect(codeOf(() => permit.awaitVerification('p'))).toBeUndefined();
    expect(codeOf(() => admission.enter('p').awaitVerification('p'))).toBe('rate_limited');
    expect(codeOf(() => admission.enter('p').awaitVerification('q'))).toBeUndefined();
    permit.enterUser({ projectId: 'p', subject: 'mia' });
    expect(codeOf(() => admission.enter('p').awaitVerification('p'))).toBeUndefined();
  });
});
