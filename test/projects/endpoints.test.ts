import { call, startProjects } from './support.ts';

const ANY_ID = '01890000-0000-7000-8000-0000000000ff';

const { management, project } = await startProjects();
afterAll(management.drop);

describe('every operation on operators and projects', () => {
  /** Calls all of them in turn, and answers those that were not refused as the test says. */
  async function unexpected(
    credential: string | undefined,
    isExpected: (status: number, kinds: readonly string[]) => boolean,
  ) {
    const surprises = [];
    for (const { method, path, principals } of management.endpoints) {
      if (principals.length === 0) continue;
      const target = path.replaceAll(/\{\w+\}/g, ANY_ID);
      const { status } = await call(management.app, method, target, credential);
      if (!isExpected(status, principals)) surprises.push(`${method} ${path} ${status}`);
    }
    return surprises;
  }

  it('refuses callers without credentials, or with ones that are none', async () => {
    expect(await unexpected(undefined, (status) => status === 401)).toEqual([]);
    expect(await unexpected('igo_wrong', (status) => status === 401)).toEqual([]);
  });

  it('refuses end users', async () => {
    expect(await unexpected(`user:${project.id}:u`, (status) => status === 403)).toEqual([]);
  });

  it('refuses API keys unless it is declared for them', async () => {
    const isExpected = (status: number, kinds: readonly string[]) =>
      kinds.includes('api_key') ? status !== 403 : status === 403;
    expect(await unexpected(project.apiKey, isExpected)).toEqual([]);
  });

  it('answers what does not exist with 404, or faults in the body with 400, and never with 500', async () => {
    const isExpected = (status: number) => [200, 201, 400, 403, 404].includes(status);
    expect(await unexpected(project.owner.token, isExpected)).toEqual([]);
  });
});
