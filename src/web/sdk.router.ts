import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import express, { type Router } from 'express';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { getRequestContext } from '../http/request-context.ts';
import { sendStaticAsset } from '../http/static-asset.ts';

/** Built ahead (`npm run generate`), so that a gateway needs no compiler to start. */
const DIRECTORY = resolve(import.meta.dirname, 'sdk/dist');
const NAMES = ['connect.js', 'connect.global.js'];

/**
 * `/sdk/connect.js` (an ES module) and `/sdk/connect.global.js` (a plain script): the browser SDK, for any page on any
 * origin, isolated ones (Cross-Origin-Embedder-Policy) included. It knows no secret.
 */
export function createSdkRouter(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const name of NAMES) {
    const script = readFileSync(resolve(DIRECTORY, name));
    const send = sendStaticAsset({
      content: () => script,
      contentType: 'text/javascript; charset=utf-8',
      headers: {
        // Short: the address has no version, and a fix is to reach people the same hour.
        'Cache-Control': 'public, max-age=300',
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
    });
    router.get(`/sdk/${name}`, (request, response, next) => {
      getRequestContext(response).route = '/sdk';
      return send(request, response, next);
    });
    router.all(`/sdk/${name}`, refuseOtherMethods('/sdk', ['GET']));
  }
  return router;
}
