import { callApi } from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let operations: Operation[];

beforeAll(async () => {
  stage = await startStage();
  operations = await readOperations(stage.gateway.url);
});
afterAll(() => stage?.close());

/** Characters that no column, no id and no name can hold, and what is no id at all. */
const ODD = ['%00', 'custom:%00', '%FF', '-1', '😀'.repeat(90)];

/** The path with one of its parameters odd, and the project in the place of the first other one. */
function* pathsOf(path: string, projectId: string): Generator<string> {
  for (const parameter of path.match(/\{\w+\}/g) ?? [])
    for (const odd of ODD)
      yield path.replace(parameter, odd).replaceAll(/\{\w+\}/g, encodeURIComponent(projectId));
}

describe('a path parameter that is nothing of the gateway’s', () => {
  it('is no fault of ours, by every operation and caller', async () => {
    const { gateway, project } = stage;
    const callers = [project.personalAccessToken, project.userToken('ada')];
    const faults: string[] = [];
    for (const { method, path, body } of operations) {
      for (const target of pathsOf(path, project.id)) {
        const answers = await Promise.all(
          callers.map((bearer) => callApi(gateway.url, method, target, { bearer, body })),
        );
        for (const { status, text } of answers)
          if (status >= 500) faults.push(`${method} ${target}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
