import { authorizedBy, limitedOnce, readJson, readMultipart, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'ntn_notion-token';
const USERS = Array.from({ length: 5 }, (_, index) => ({ object: 'user', id: `user-${index}` }));

const failure = (status: number, code: string, message: string): ApiAnswer => ({
  status,
  body: { object: 'error', status, code, message, request_id: 'r-1' },
});

/** Bearer token beside a version header that is not optional, JSON, cursors, files as multipart. */
export const notion: TriedProvider = {
  id: 'notion',
  credentials: { accessToken: TOKEN },
  apisAt: () => [api],
};

const api: ProviderApi = {
  host: 'api.notion.com',
  isAuthorized: (headers) =>
    authorizedBy(`Bearer ${TOKEN}`)(headers) && headers['notion-version'] !== undefined,
  unauthorized: failure(401, 'unauthorized', 'API token is invalid.'),
  notFound: failure(404, 'object_not_found', 'Could not find the page.'),
  routes: {
    'GET /v1/users': listUsers,
    'POST /v1/pages': (call) => ({ body: { object: 'page', id: 'page-1', ...readJson(call) } }),
    'GET /v1/users/me': limitedOnce(
      {
        ...failure(429, 'rate_limited', 'You have been rate limited.'),
        headers: { 'retry-after': '0' },
      },
      ({ headers }) => ({ body: { object: 'user', id: 'bot-1', name: headers['notion-version'] } }),
    ),
    'POST /v1/file_uploads/upload-1/send': async (call) => {
      const file = (await readMultipart(call)).get('file');
      const text = file instanceof File ? `${file.name}: ${await file.text()}` : 'no file';
      return { body: { object: 'file_upload', id: 'upload-1', status: 'uploaded', filename: text } };
    },
  },
};

function listUsers({ query }: ApiCall): ApiAnswer {
  const { page, next } = readPage(
    USERS,
    Number(query.get('start_cursor') ?? 0),
    Number(query.get('page_size') ?? 100),
  );
  const cursor = next === undefined ? null : String(next);
  return { body: { object: 'list', results: page, next_cursor: cursor, has_more: next !== undefined } };
}
