import { authorizedBy, readJson, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const KEY = 'SG.sendgrid-key';
const BOUNCES = Array.from({ length: 3 }, (_, index) => ({ email: `bounced${index}@example.test` }));

/** An API key as bearer token, JSON, offsets, an empty answer to a message that is taken. */
export const sendgrid: TriedProvider = {
  id: 'sendgrid',
  credentials: { apiKey: KEY },
  apisAt: () => [api],
};

const failure = (status: number, message: string, field: string | null = null): ApiAnswer => ({
  status,
  body: { errors: [{ message, field, help: null }] },
});

const api: ProviderApi = {
  host: 'api.sendgrid.com',
  isAuthorized: authorizedBy(`Bearer ${KEY}`),
  unauthorized: failure(401, 'The provided authorization grant is invalid, expired, or revoked'),
  notFound: failure(404, 'not found'),
  routes: {
    'GET /v3/suppression/bounces': ({ query }) => ({
      body: readPage(BOUNCES, Number(query.get('offset')), Number(query.get('limit'))).page,
    }),
    'POST /v3/mail/send': sendMail,
    'GET /v3/scopes': () => ({
      ...failure(429, 'too many requests'),
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795262400' },
    }),
  },
};

function sendMail(call: ApiCall): ApiAnswer {
  const { from, personalizations } = readJson(call);
  if (!from?.email) return failure(400, 'The from email does not contain a valid address.', 'from.email');
  return { status: 202, headers: { 'x-message-id': `message-to-${personalizations[0].to[0].email}` } };
}
