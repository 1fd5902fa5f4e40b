import express, { type Router } from 'express';
import { sendPage } from '../http/html.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { contextOf } from '../http/request-context.ts';
import { alreadySetUpPage, setupForm } from './setup-page.ts';

/** `GET /setup`: where the link leads that the gateway prints while it has no operator. */
export function createSetupRouter(deps: { isPending(): Promise<boolean> }): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/setup', async (_request, response) => {
    contextOf(response).route = '/setup';
    const isPending = await deps.isPending();
    sendPage(response, {
      status: 200,
      title: isPending ? 'Set up the gateway' : 'Already set up',
      body: isPending ? setupForm : alreadySetUpPage,
    });
  });
  router.all('/setup', refuseOtherMethods('/setup', ['GET']));
  return router;
}
