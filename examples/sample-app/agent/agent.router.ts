import express, { type Router } from 'express';
import type { SignIn } from '../sign-in.ts';
import { type AgentOptions, type AgentRun, createAgentRun } from './run.ts';

export type AgentRouterOptions = AgentOptions & {
  readonly signIn: SignIn;
  readonly publicDirectory: string;
  /** With the scope `approvals`: it vouches for the person whom the application has signed in. */
  readonly apiKey: string;
};

const CODE_LENGTH_MAX = 200;

/** The page of an agent at work, what it does, and the way to the page on which its user approves a call. */
export function createAgentRouter(options: AgentRouterOptions): Router {
  const { signIn, publicDirectory, gatewayUrl, apiKey } = options;
  const runs = new Map<string, AgentRun>();
  const router = express.Router();

  const runOf = (userId: string): AgentRun => {
    const run = runs.get(userId) ?? createAgentRun(options, userId);
    runs.set(userId, run);
    return run;
  };

  router.get('/agent', signIn.orSignInPage, (_req, res) => {
    res.sendFile('agent.html', { root: publicDirectory });
  });

  router.get('/agent/state', signIn.required, (req, res) => {
    const user = signIn.userOf(req);
    res.set('Cache-Control', 'no-store').json({ user: user.name, ...runOf(user.id).show() });
  });

  router.post('/agent/step', signIn.required, express.json({ limit: '4kb' }), async (req, res) => {
    const user = signIn.userOf(req);
    const run = runOf(user.id);
    const code = typeof req.body?.code === 'string' ? req.body.code.slice(0, CODE_LENGTH_MAX) : '';
    if (!(await run.step(code))) res.status(409).json({ error: 'The agent is at it already.' });
    else res.set('Cache-Control', 'no-store').json({ user: user.name, ...run.show() });
  });

  router.post('/agent/restart', signIn.required, (req, res) => {
    const user = signIn.userOf(req);
    runs.delete(user.id);
    res.json({ user: user.name, ...runOf(user.id).show() });
  });

  // The project's `approvalPage`: only the application knows who sits in front of this browser.
  router.get('/approve', signIn.orSignInPage, async (req, res) => {
    const id = encodeURIComponent(String(req.query.approval ?? ''));
    const answer = await fetch(`${gatewayUrl}/v1/approvals/${id}/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: signIn.userOf(req).id }),
    });
    const { url } = await answer.json();
    if (answer.ok) res.redirect(303, url);
    else res.status(404).type('text').send('There is no such request of yours.');
  });

  return router;
}
