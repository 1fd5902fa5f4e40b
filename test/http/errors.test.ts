import { createServer, request as httpRequest } from 'node:http';
import express from 'express';
import request from 'supertest';
import { ERROR_CODES, ERRORS } from '../../src/http/error-codes.ts';
import {
  createErrorHandler,
  HttpError,
  problem,
  problemHeaders,
  sendProblem,
  toHttpError,
} from '../../src/http/errors.ts';
import { StoreTimeError } from '../../src/platform/postgres/store-time.ts';
import { listen } from '../support/listen.ts';
import { captureLog, PUBLIC_URL } from './support.ts';

const context = { requestId: '01890000-0000-7000-8000-000000000009', publicUrl: PUBLIC_URL };

describe('the table of error codes', () => {
  it.each(ERROR_CODES)('%s is complete', (code) => {
    const entry = ERRORS[code];
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.title).toMatch(/^[A-Z].*[^.]$/);
    expect(entry.meaning).toMatch(/\.$/);
    expect(entry.remedy).toMatch(/[.]$/);
  });

  it.each([
    ['reauthorization_required', 424],
    ['upgrade_not_supported', 501],
    ['headers_too_large', 431],
    ['uri_too_long', 414],
    ['expectation_failed', 417],
    ['integration_misconfigured', 502],
    ['refresh_unavailable', 503],
    ['upstream_timeout', 504],
    ['idempotency_key_reused', 422],
    ['user_required', 403],
    ['already_set_up', 409],
  ] as const)('%s is %i', (code, status) => {
    expect(ERRORS[code].status).toBe(status);
  });
});

describe('a problem', () => {
  it('has the members of RFC 9457 and ours', () => {
    const error = new HttpError('connection_ambiguous', {
      extra: Object.assign({ connectionIds: ['a'] }, { status: 200, code: 'x' }),
    });
    expect(problem(error, context)).toEqual({
      type: `${PUBLIC_URL}/docs/errors#connection_ambiguous`,
      title: 'Several connections match',
      status: 409,
      detail: ERRORS.connection_ambiguous.meaning,
      remedy: ERRORS.connection_ambiguous.remedy,
      retryable: false,
      code: 'connection_ambiguous',
      requestId: context.requestId,
      connectionIds: ['a'],
    });
  });

  it('is sent on a plain Node response, keeping fields set before', async () => {
    const server = createServer((_incoming, response) => {
      response.setHeader('Access-Control-Allow-Origin', 'https://app.example');
      sendProblem(response, new HttpError('overloaded', { headers: { 'Retry-After': '2' } }), context);
    }).listen(0, '127.0.0.1');
    const reply = await request(server).get('/');
    server.close();
    expect(reply.status).toBe(503);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'gateway-error': 'overloaded',
      'gateway-request-id': context.requestId,
      'retry-after': '2',
      'access-control-allow-origin': 'https://app.example',
    });
  });

  it.each([
    ['token_invalid', undefined, expect.stringContaining('Bearer')],
    ['overloaded', '1', undefined],
    ['connection_not_found', undefined, undefined],
  ] as const)('%s has Retry-After %s and WWW-Authenticate %s', (code, retryAfter, authenticate) => {
    const headers = problemHeaders(new HttpError(code), context);
    expect([headers['Retry-After'], headers['WWW-Authenticate']]).toEqual([retryAfter, authenticate]);
  });

  it('cuts the connection when a reply has begun, so that the caller does not take it for complete', async () => {
    const server = createServer((_incoming, response) => {
      response.write('half', () => sendProblem(response, new HttpError('internal_error'), context));
    });
    const port = await listen(server);
    const outcome = await new Promise<string>((resolve) => {
      httpRequest({ port, host: '127.0.0.1' }, (reply) => {
        reply.on('error', () => resolve('cut'));
        reply.on('end', () => resolve('whole'));
        reply.resume();
      }).end();
    });
    server.close();
    expect(outcome).toBe('cut');
  });
});

describe('the error handler', () => {
  async function answerTo(thrown: unknown) {
    const { log, text } = captureLog();
    const app = express();
    app.get('/', () => {
      throw thrown;
    });
    app.use(createErrorHandler({ publicUrl: PUBLIC_URL, log }));
    return { reply: await request(app).get('/'), text: text() };
  }

  it.each([
    ['a plain error', new Error('SELECT planted-a1b2')],
    ['a text', 'planted-a1b2'],
    ['an error that claims a status of ours', Object.assign(new Error('planted-a1b2'), { status: 500 })],
  ])('turns %s into internal_error without its words', async (_what, thrown) => {
    const { reply } = await answerTo(thrown);
    expect(reply.status).toBe(500);
    expect(reply.body.code).toBe('internal_error');
    expect(reply.text).not.toContain('planted');
  });

  it('logs failures of the gateway, not refusals', async () => {
    expect((await answerTo(new Error('broken'))).text).toContain('broken');
    expect((await answerTo(new HttpError('token_invalid'))).text).toBe('');
  });

  it.each([
    ['entity.too.large', 413, 'body_too_large'],
    ['entity.parse.failed', 400, 'invalid_json'],
    ['charset.unsupported', 415, 'unsupported_media_type'],
    ['encoding.unsupported', 415, 'unsupported_media_type'],
    ['request.aborted', 400, 'invalid_request'],
  ])('knows what a body parser means by %s', (type, status, code) => {
    expect(toHttpError(Object.assign(new Error('x'), { type, status })).code).toBe(code);
  });
});

it('a request that ran out of time for the store is not told that the store is out of reach', () => {
  const { code, detail } = toHttpError(new StoreTimeError());
  expect(code).toBe('store_unavailable');
  expect(detail).not.toMatch(/reached/);
});
