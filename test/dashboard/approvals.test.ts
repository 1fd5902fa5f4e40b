import type { Page } from 'playwright-core';
import { askApproval } from '../support/approval-stage.ts';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { callApiOk } from '../support/gateway.ts';
import { connectAccount, PROVIDER } from '../support/stage.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

const USER = 'approving';

let stage: DashboardStage;
let page: Page;
let base: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  page = stage.page;
  base = `/p/${stage.project.id}/approvals`;
  await connectAccount(stage, { userId: USER });
});
afterAll(() => stage?.close());
afterEach(() => expect(stage?.takeFaults()).toEqual([]));

const stateOf = async (id: string) => {
  const bearer = stage.project.apiKey;
  return (await callApiOk(stage.gateway.url, 'GET', `/v1/approvals/${id}`, { bearer })).state;
};

it('a call that waits is listed, shown as it is, and approved by a press', async () => {
  const path = '/asked%E2%80%AE';
  const id = await askApproval(stage.gateway, stage.project, { userId: USER, provider: PROVIDER, path });
  await visit(page, base);
  await page.getByRole('link', { name: `DELETE ${path}` }).click();
  await page.getByRole('heading', { name: `DELETE ${path}` }).waitFor();
  await page.getByText('Approving lets this very call be sent, once').waitFor();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Approved', { exact: true }).first().waitFor();
  expect(await stateOf(id)).toBe('approved');
  // Not sent yet: it can be taken back.
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByText('It has ended, and what was asked is erased.').waitFor();
  expect(await stateOf(id)).toBe('rejected');
  await visit(page, base);
  await page.getByRole('link', { name: 'DELETE (erased)' }).waitFor();
});

it('a call that another operator decided about is shown as it is now', async () => {
  const decide = async (id: string, word: 'approve' | 'reject') => {
    const bearer = stage.project.apiKey;
    await callApiOk(stage.gateway.url, 'POST', `/v1/approvals/${id}/${word}`, { bearer });
  };
  const ask = (path: string) =>
    askApproval(stage.gateway, stage.project, { userId: USER, provider: PROVIDER, path });
  const pressed = await ask('/pressed');
  await visit(page, `${base}/${pressed}`);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await decide(pressed, 'reject');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('This page shows what became of it now.').waitFor();
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });

  const watched = await ask('/watched');
  await visit(page, `${base}/${watched}`);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await decide(watched, 'reject');
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
});
