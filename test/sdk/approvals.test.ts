import { askApproval } from '../support/approval-stage.ts';
import { callApiOk } from '../support/gateway.ts';
import { PROVIDER } from './provider.ts';
import { openPage, startSdkStage } from './stage.ts';

const stage = await startSdkStage();
afterAll(stage.close);

it('lists what waits for the user, shows the exact call, and takes the user’s word', async () => {
  const { user, context } = await stage.signInAgain();
  const { gateway, project } = stage;
  const bearer = project.apiKey;
  const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', { bearer });
  const credentials = { accessToken: 'access' };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId: integrations[0].id, userId: user, credentials },
  });
  const asked = { userId: user, provider: PROVIDER };
  const first = await askApproval(gateway, project, { ...asked, path: '/first?x=1' });
  const second = await askApproval(gateway, project, { ...asked, path: '/second' });
  const page = await openPage(stage, context);
  const seen = await page.evaluate(
    async ([yes = '', no = '']) => {
      const approvals = window.gateway.approvals();
      const waiting = await approvals.list();
      const one = await approvals.get(yes);
      const decided = [await approvals.approve(yes), await approvals.reject(no)];
      const late = await approvals.approve(no).catch(({ code }) => code);
      return {
        waiting: waiting.map(({ id }) => id),
        call: [one.method, one.call?.path, one.call?.query, one.call?.body.bytes],
        decided: decided.map(({ state }) => state),
        left: await approvals.list(),
        late,
      };
    },
    [first, second],
  );
  expect(seen).toEqual({
    waiting: [second, first],
    call: ['DELETE', '/first', '?x=1', 0],
    decided: ['approved', 'rejected'],
    left: [],
    late: 'approval_decided',
  });
  await context.close();
});
