import express from 'express';
import request from 'supertest';
import { createClientDocumentsRouter } from '../../src/connect/client-documents.router.ts';
import { createErrorHandler } from '../../src/http/errors.ts';
import { createRateLimiter } from '../../src/lib/rate-limit.ts';
import { captureLog, PUBLIC_URL } from '../http/support.ts';

const UNKNOWN = '/oauth/clients/01890000-0000-7000-8000-000000000009';

it('client documents, which are public, have a limit for each address', async () => {
  const app = express();
  const limiter = createRateLimiter({ limit: 2, windowSeconds: 60 });
  app.use(
    createClientDocumentsRouter({
      findIntegration: async () => undefined,
      describe: () => Promise.reject(new Error('nothing is described')),
      limiter,
      publicUrl: PUBLIC_URL,
    }),
  );
  app.use(createErrorHandler({ publicUrl: PUBLIC_URL, log: captureLog().log }));
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await request(app).get(UNKNOWN)).status);
  expect(statuses).toEqual([404, 404, 429]);
});
