import type { Principal } from '../../src/http/principal.ts';
import type { AccessMode } from '../../src/projects/access.ts';
import { addMember, startProjects } from './support.ts';

const MISSING = '01890000-0000-7000-8000-0000000000ff';
const MODES: readonly AccessMode[] = ['read', 'write', 'owner'];

const { management, project, theirs } = await startProjects();
afterAll(management.drop);

describe('access to a project', () => {
  async function principalOf(who: string): Promise<Principal> {
    const { id: projectId, owner } = project;
    if (who === 'api_key') return { kind: 'api_key', apiKeyId: MISSING, projectId, scopes: ['*'] };
    if (who === 'end_user') return { kind: 'end_user', projectId, endUserId: MISSING, subject: 'u' };
    if (who === 'owner') return { kind: 'operator', operatorId: owner.id };
    if (who === 'stranger') return { kind: 'operator', operatorId: theirs.owner.id };
    const { id } = await addMember(management, project, who === 'admin' ? 'admin' : 'viewer');
    return { kind: 'operator', operatorId: id };
  }

  it.each([
    ['owner', ['yes', 'yes', 'yes']],
    ['admin', ['yes', 'yes', 'insufficient_role']],
    ['viewer', ['yes', 'insufficient_role', 'insufficient_role']],
    ['stranger', ['project_not_found', 'project_not_found', 'project_not_found']],
    ['api_key', ['yes', 'yes', 'forbidden_principal']],
    ['end_user', ['yes', 'forbidden_principal', 'forbidden_principal']],
  ])('of %s: reading, writing, owning are %p', async (who, expected) => {
    const principal = await principalOf(who);
    const answers = [];
    for (const mode of MODES) answers.push(await verdict(principal, project.id, mode));
    expect(answers).toEqual(expected);
    expect(await management.access.projectsOf(principal)).toEqual([
      who === 'stranger' ? theirs.id : project.id,
    ]);
    if (who === 'stranger') return;
    for (const foreign of [theirs.id, MISSING]) {
      expect(await verdict(principal, foreign, 'read')).toBe('project_not_found');
    }
  });

  it('ends the moment a member is removed', async () => {
    const { id } = await addMember(management, project, 'admin');
    const principal: Principal = { kind: 'operator', operatorId: id };
    expect(await verdict(principal, project.id, 'write')).toBe('yes');
    await management.members.remove(management.db, project.id, id);
    expect(await verdict(principal, project.id, 'read')).toBe('project_not_found');
    expect(await management.access.projectsOf(principal)).toEqual([]);
  });

  it.each([
    ['owner', ['yes', 'yes', 'yes']],
    ['viewer', ['yes', 'insufficient_role', 'insufficient_role']],
    ['stranger', ['poll_not_found', 'poll_not_found', 'poll_not_found']],
    ['api_key', ['yes', 'yes', 'forbidden_principal']],
  ])('of %s to a row of it: reading, writing, owning are %p', async (who, expected) => {
    const principal = await principalOf(who);
    const row = { projectId: project.id };
    const find = (mode: AccessMode) =>
      management.access.find(principal, mode, 'poll_not_found', async (projectIds) =>
        projectIds.includes(row.projectId) ? row : undefined,
      );
    const answers = [];
    for (const mode of MODES) answers.push(await outcome(find(mode)));
    expect(answers).toEqual(expected);
  });

  function verdict(principal: Principal, projectId: string, mode: AccessMode): Promise<string> {
    return outcome(management.access.requireProjectAccess(principal, projectId, mode));
  }

  function outcome(asked: Promise<unknown>): Promise<string> {
    return asked.then(
      () => 'yes',
      (error: { code: string }) => error.code,
    );
  }
});
