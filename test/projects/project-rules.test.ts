import { createProjectRules } from '../../src/projects/project-rules.ts';

const PROJECT = '01890000-0000-7000-8000-000000000001';

function rulesWith(
  found: { allowedOrigins: string[]; limits: { proxyCallsPerMinute?: number } } | undefined,
) {
  const state = { found, reads: 0, isAway: false, nowMs: 0, gate: Promise.resolve() };
  const rules = createProjectRules({
    findProjectRules: async () => {
      state.reads += 1;
      if (state.isAway) {
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      }
      await state.gate;
      return state.found;
    },
    findKnownOrigins: async (origins) =>
      origins.filter((origin) => state.found?.allowedOrigins.includes(origin)),
    publicUrl: 'https://gateway.example',
    now: () => state.nowMs,
    log: { warn: () => undefined },
  });
  return { rules, state };
}

describe('the rules of a project', () => {
  it('allow the origins that it names, exactly, and the gateway’s own', async () => {
    const { rules } = rulesWith({ allowedOrigins: ['https://app.example'], limits: {} });
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
    expect(await rules.isAllowed(PROJECT, 'https://app.example.evil.example')).toBe(false);
    expect(await rules.isAllowed(PROJECT, 'https://gateway.example')).toBe(true);
  });

  it('are answered at once when they are in memory, with one reading', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: ['https://app.example'], limits: {} });
    await rules.isAllowed(PROJECT, 'https://app.example');
    expect(rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
    expect(state.reads).toBe(1);
  });

  it('are read again after a change was announced', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: ['https://app.example'], limits: {} });
    await rules.isAllowed(PROJECT, 'https://app.example');
    state.found = { allowedOrigins: [], limits: {} };
    rules.invalidateProject(PROJECT);
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(false);
  });

  it('go on as they were while the store is away', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: ['https://app.example'], limits: {} });
    await rules.isAllowed(PROJECT, 'https://app.example');
    state.isAway = true;
    state.nowMs = 3_600_000;
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
  });

  it('go on as they were when notices are lost together with the store', async () => {
    const limits = { proxyCallsPerMinute: 7 };
    const { rules, state } = rulesWith({ allowedOrigins: ['https://app.example'], limits });
    await rules.isAllowed(PROJECT, 'https://app.example');
    expect(await rules.isAllowedAnywhere('https://app.example')).toBe(true);
    state.isAway = true;
    rules.setHasNotices(false);
    rules.markAllStale();
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
    expect(await rules.isAllowed(PROJECT, 'https://other.example')).toBe(false);
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
  });

  it('of made-up projects are read two at a time, and of what is no id never', async () => {
    const { rules, state } = rulesWith(undefined);
    const held = Promise.withResolvers<void>();
    state.gate = held.promise;
    const made = (index: number) => `${PROJECT.slice(0, -4)}${String(index).padStart(4, '0')}`;
    const answers = Array.from({ length: 900 }, (_, index) =>
      rules.isAllowed(made(index), 'https://app.example'),
    );
    expect(rules.isAllowed('no-uuid', 'https://app.example')).toBe(false);
    expect(state.reads).toBe(2);
    held.resolve();
    expect(await Promise.all(answers)).not.toContain(true);
    expect(state.reads).toBeLessThanOrEqual(502);
  });

  it('tell the limit of proxied calls as soon as they are in memory', async () => {
    const { rules } = rulesWith({ allowedOrigins: [], limits: { proxyCallsPerMinute: 7 } });
    expect(rules.callsPerMinute(PROJECT)).toBeUndefined();
    await rules.isAllowed(PROJECT, 'https://app.example');
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
  });

  it('limit calls as before while a changed project is read again', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: [], limits: { proxyCallsPerMinute: 7 } });
    await rules.isAllowed(PROJECT, 'https://app.example');
    state.found = { allowedOrigins: [], limits: { proxyCallsPerMinute: 9 } };
    rules.invalidateProject(PROJECT);
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
    await rules.isAllowed(PROJECT, 'https://app.example');
    expect(rules.callsPerMinute(PROJECT)).toBe(9);
  });

  it('may come with another reading of the project, unless a change was announced meanwhile', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: [], limits: {} });
    await rules.readAlong(PROJECT, async (keep) =>
      keep({ allowedOrigins: ['https://app.example'], limits: { proxyCallsPerMinute: 7 } }),
    );
    expect(rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
    expect(state.reads).toBe(0);
    await rules.readAlong(PROJECT, async (keep) => {
      rules.invalidateProject(PROJECT);
      keep({ allowedOrigins: ['https://app.example'], limits: {} });
    });
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(false);
  });

  it('allow nothing for a project that does not exist', async () => {
    const { rules } = rulesWith(undefined);
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(false);
    expect(rules.callsPerMinute(PROJECT)).toBeUndefined();
  });
});
