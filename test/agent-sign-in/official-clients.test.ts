import { openEarlierSigningClient, openModernSigningClient } from '../support/agent-oauth-client.ts';
import { type SignInStage, signFor, signIn, startSignInStage } from '../support/agent-sign-in.ts';
import { NOTES } from '../support/agent-stage.ts';
import { createVisitor } from '../support/visitor.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
  stage.answerWith({ body: '{"notes":[]}' });
});
afterAll(() => stage?.close());

describe.each([
  ['2.x', openModernSigningClient],
  ['1.x', openEarlierSigningClient],
])('the official client %s', (_version, openClient) => {
  it('finds out by itself how to sign in, and gets new tokens by itself', async () => {
    const asked: URL[] = [];
    const client = await openClient(stage.address, stage.documents.add(), (url) => {
      asked.push(url);
      return signIn(createVisitor(), url.href, signFor(stage.project, 'mia'));
    });
    try {
      const read = await client.callTool('read', { provider: NOTES, path: '/notes' });
      expect(read.structuredContent).toMatchObject({ source: 'provider', status: 200 });
      const first = client.memory.tokens;
      // As if its ten minutes were over.
      client.memory.tokens = { ...first, token_type: 'Bearer', access_token: 'x'.repeat(43) };
      const again = await client.callTool('read', { provider: NOTES, path: '/notes' });
      expect(again.structuredContent).toMatchObject({ source: 'provider', status: 200 });
      expect(client.memory.tokens.refresh_token).not.toBe(first?.refresh_token);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.searchParams.get('resource')).toBe(stage.address);
    } finally {
      await client.close();
    }
  });
});
