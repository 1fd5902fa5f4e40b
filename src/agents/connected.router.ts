import express, { type Router } from 'express';
import { chooseLanguage } from '../connect/texts/language.ts';
import { sendPage } from '../http/html.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { CONNECTED_PATH } from './connecting.ts';
import { connectedPage } from './pages/connected-page.ts';

/** Where connecting for an agent ends: the code stands in the fragment, which no server and no log ever sees. */
export function createConnectedRouter(): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(CONNECTED_PATH, (request, response) => {
    getRequestContext(response).route = CONNECTED_PATH;
    const { texts, tag, dir } = chooseLanguage([], request.headers['accept-language']);
    sendPage(response, {
      status: 200,
      lang: tag,
      dir,
      title: texts.agents.codeTitle,
      body: (nonce) => connectedPage(texts, nonce),
    });
  });
  router.all(CONNECTED_PATH, refuseOtherMethods(CONNECTED_PATH, ['GET']));
  return router;
}
