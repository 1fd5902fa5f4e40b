import {
  createRequest,
  goToConsent,
  type SignInStage,
  signFor,
  startSignInStage,
} from '../support/agent-sign-in.ts';
import { callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { createVisitor } from '../support/visitor.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());

async function revokeTokensOf(userId: string): Promise<void> {
  const { gateway, project } = stage;
  await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, {
    bearer: project.apiKey,
    body: { userId },
  });
}

async function eraseUser(userId: string): Promise<void> {
  const { gateway, project } = stage;
  const bearer = project.apiKey;
  const path = `/v1/projects/${project.id}`;
  const { id } = await callApiOk(gateway.url, 'DELETE', `${path}/users/${userId}`, { bearer });
  const report = () => callApiOk(gateway.url, 'GET', `${path}/user-erasures/${id}`, { bearer });
  await until(async () => (await report()).state === 'done');
}

it.each([
  ['were revoked', revokeTokensOf],
  ['went with their data', eraseUser],
])('lets nobody allow whose tokens %s while the page was open', async (_name, end) => {
  const userId = `leaving-${end.name}`;
  const bearer = stage.project.apiKey;
  await stage.connect(userId);
  const visitor = createVisitor();
  const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
  const { interaction, formToken } = await goToConsent(visitor, url, signFor(stage.project, userId));
  await end(userId);
  const refused = await visitor.post(interaction, { formToken, decision: 'allow', access: 'all' });
  expect(refused.headers.get('gateway-error')).toBe('token_revoked');
  const find = (path: string) => callApiOk(stage.gateway.url, 'GET', `/v1/${path}`, { bearer });
  expect((await find(`agent-consents?userId=${userId}`)).consents).toEqual([]);
  if (end !== eraseUser) return;
  expect((await find(`projects/${stage.project.id}/users?userId=${userId}`)).users).toEqual([]);
});
