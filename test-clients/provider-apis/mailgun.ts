import { authorizedBy, basic, readMultipart, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const KEY = 'mailgun-private-key';
const BOUNCES = Array.from({ length: 3 }, (_, index) => ({
  address: `bounced${index}@example.test`,
  code: '550',
  error: 'no such mailbox',
  created_at: 'Sat, 21 Nov 2026 10:00:00 UTC',
}));

/** Basic with a fixed user name and the key as password, a host for every region, messages as multipart. */
export const mailgun: TriedProvider = {
  id: 'mailgun',
  credentials: { username: 'api', password: KEY, variables: { region: 'api.eu' } },
  apisAt: () => [api],
};

const api: ProviderApi = {
  host: 'api.eu.mailgun.net',
  isAuthorized: authorizedBy(basic('api', KEY)),
  unauthorized: { status: 401, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' },
  notFound: { status: 404, body: { message: 'Domain not found' } },
  routes: {
    'GET /v3/mail.example.test/bounces': listBounces,
    'POST /v3/mail.example.test/messages': sendMessage,
    'POST /v3/busy.example.test/messages': () => ({ status: 429, body: { message: 'Too many requests' } }),
  },
};

function listBounces({ query }: ApiCall): ApiAnswer {
  const after = query.get('address') ?? '';
  const start = BOUNCES.findIndex(({ address }) => address === after) + 1;
  const { page } = readPage(BOUNCES, start, Number(query.get('limit')));
  const next = new URLSearchParams({
    page: 'next',
    address: page.at(-1)?.address ?? after,
    limit: query.get('limit') ?? '',
  });
  const paging = { next: `https://api.eu.mailgun.net/v3/mail.example.test/bounces?${next}` };
  return { body: { items: page, paging } };
}

async function sendMessage(call: ApiCall): Promise<ApiAnswer> {
  const form = await readMultipart(call);
  if (!form.has('to')) return { status: 400, body: { message: 'to parameter is missing' } };
  const file = form.get('attachment');
  const attached = file instanceof File ? `${file.name}: ${await file.text()}` : 'nothing';
  return { body: { id: '<message-1@mail.example.test>', message: `Queued with ${attached}` } };
}
