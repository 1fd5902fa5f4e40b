import { authorizedByHeader, readJson, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'postmark-server-token';
const BOUNCES = Array.from({ length: 3 }, (_, index) => ({ ID: index, Type: 'HardBounce' }));

/** A header of its own, member names in capitals, offsets, attachments as base64 in JSON. */
export const postmark: TriedProvider = {
  id: 'postmark',
  credentials: { apiKey: TOKEN },
  apisAt: () => [api],
};

const failure = (status: number, ErrorCode: number, Message: string): ApiAnswer => ({
  status,
  body: { ErrorCode, Message },
});

const api: ProviderApi = {
  host: 'api.postmarkapp.com',
  isAuthorized: authorizedByHeader('x-postmark-server-token', TOKEN),
  unauthorized: failure(401, 10, 'The Server Token is missing or invalid.'),
  notFound: failure(404, 0, 'Not found.'),
  routes: {
    'GET /bounces': listBounces,
    'POST /email': sendEmail,
    'GET /server': () => failure(429, 0, 'Rate limit exceeded.'),
  },
};

function listBounces({ query }: ApiCall): ApiAnswer {
  const { page } = readPage(BOUNCES, Number(query.get('offset')), Number(query.get('count')));
  return { body: { TotalCount: BOUNCES.length, Bounces: page } };
}

function sendEmail(call: ApiCall): ApiAnswer {
  const { To, Attachments } = readJson(call);
  if (!To.includes('@')) return failure(422, 300, `Error parsing 'To': ${To}`);
  const text = Buffer.from(Attachments[0].Content, 'base64').toString('utf8');
  return { body: { To, ErrorCode: 0, Message: `OK ${text}`, MessageID: 'message-1', SubmittedAt: '' } };
}
