import {
  askForTokens,
  createRequest,
  goToConsent,
  type SignInStage,
  signFor,
  startSignInStage,
} from '../support/agent-sign-in.ts';
import { callApiOk } from '../support/gateway.ts';
import { createVisitor, readLocation } from '../support/visitor.ts';

const ENTRY = { type: 'gateway_access', provider: 'notes', access: 'read' };

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());
beforeEach(() => requireMandate(false));

const requireMandate = (value: boolean) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { requireMandate: value },
  });

const request = () => createRequest(stage.gateway, stage.project, stage.documents.add());
const codeOf = (response: Response) => response.headers.get('gateway-error');

describe('a project that asks for a mandate', () => {
  it('takes no token without one from the application’s page, and the person reads why', async () => {
    await requireMandate(true);
    const visitor = createVisitor();
    const interaction = await readLocation(await visitor.get(request().url));
    const page = new URL(await readLocation(await visitor.get(interaction)));
    const state = page.searchParams.get('state') ?? '';
    const bring = (claims: object) => {
      const token = stage.project.userToken('mia', { claims: { ...claims, nonce: state } });
      return visitor.post(
        `${stage.gateway.url}/agents/signed-in`,
        { state, token },
        { isFromOtherSite: true },
      );
    };
    const refused = await bring({});
    expect([refused.status, codeOf(refused)]).toEqual([403, 'mandate_required']);
    expect(await refused.text()).toContain('The application has set no limits');
    expect((await bring({ authorization_details: [ENTRY] })).status).toBe(303);
  });

  it('takes no decision about one, reading alone included, where it began to ask meanwhile', async () => {
    const visitor = createVisitor();
    const { interaction, formToken } = await goToConsent(
      visitor,
      request().url,
      signFor(stage.project, 'mia'),
    );
    await requireMandate(true);
    expect(codeOf(await visitor.get(interaction))).toBe('mandate_required');
    const decided = await visitor.post(interaction, { formToken, decision: 'allow', access: 'read' });
    expect(codeOf(decided)).toBe('mandate_required');
  });

  it('refreshes no token of an earlier consent without one, which counts again once it asks no more', async () => {
    const refresh = ({ clientId, tokens }: Awaited<ReturnType<SignInStage['signInAs']>>) =>
      askForTokens(stage.gateway, {
        ...{ grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token },
      });
    const without = await stage.signInAs('mia');
    const held = await stage.signInAs('mia', { claims: { authorization_details: [ENTRY] } });
    await requireMandate(true);
    expect(await refresh(without)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await refresh(held)).status).toBe(200);
    await requireMandate(false);
    expect((await refresh(without)).status).toBe(200);
  });
});
