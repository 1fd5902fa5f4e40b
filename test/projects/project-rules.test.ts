import { createProjectRules } from '../../src/projects/project-rules.ts';

const PROJECT = '01890000-0000-7000-8000-000000000001';

function rulesWith(
  found: { allowedOrigins: string[]; limits: { proxyCallsPerMinute?: number } } | undefined,
) {
  const state = { found, reads: 0, isAway: false, nowMs: 0 };
  const rules = createProjectRules({
    findProjectRules: async () => {
      state.reads += 1;
      if (state.isAway) throw new Error('the store is away');
      return state.found;
    },
    isKnownOriginOfAnyProject: async (origin) => state.found?.allowedOrigins.includes(origin) ?? false,
    publicUrl: 'https://gateway.example',
    now: () => state.nowMs,
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

  it('tell the limit of proxied calls as soon as they are in memory', async () => {
    const { rules } = rulesWith({ allowedOrigins: [], limits: { proxyCallsPerMinute: 7 } });
    expect(rules.callsPerMinute(PROJECT)).toBeUndefined();
    await rules.isAllowed(PROJECT, 'https://app.example');
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
  });

  it('may come with another reading of the project, unless a change was announced meanwhile', async () => {
    const { rules, state } = rulesWith({ allowedOrigins: [], limits: {} });
    rules.learner(PROJECT)({ allowedOrigins: ['https://app.example'], limits: { proxyCallsPerMinute: 7 } });
    expect(rules.isAllowed(PROJECT, 'https://app.example')).toBe(true);
    expect(rules.callsPerMinute(PROJECT)).toBe(7);
    expect(state.reads).toBe(0);
    const learn = rules.learner(PROJECT);
    rules.invalidateProject(PROJECT);
    learn({ allowedOrigins: ['https://app.example'], limits: {} });
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(false);
  });

  it('allow nothing for a project that does not exist', async () => {
    const { rules } = rulesWith(undefined);
    expect(await rules.isAllowed(PROJECT, 'https://app.example')).toBe(false);
    expect(rules.callsPerMinute(PROJECT)).toBeUndefined();
  });
});
