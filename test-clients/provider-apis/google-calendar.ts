import { authorizedBy, limitedOnce, readJson, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'ya29.google-token';
const EVENTS = Array.from({ length: 5 }, (_, index) => ({ id: `event${index}`, summary: `Event ${index}` }));

const failure = (code: number, reason: string, message: string): ApiAnswer => ({
  status: code,
  body: { error: { code, message, errors: [{ domain: 'global', reason, message }] } },
});

/** Bearer token, JSON, page tokens, encoded ids in the path, repeated query parameters. */
export const googleCalendar: TriedProvider = {
  id: 'google-calendar',
  credentials: { accessToken: TOKEN },
  apisAt: () => [api],
};

const api: ProviderApi = {
  host: 'www.googleapis.com',
  isAuthorized: authorizedBy(`Bearer ${TOKEN}`),
  unauthorized: failure(401, 'authError', 'Invalid Credentials'),
  notFound: failure(404, 'notFound', 'Not Found'),
  routes: {
    'GET /calendar/v3/calendars/mia%40example.test/events': listEvents,
    'POST /calendar/v3/calendars/primary/events': (call) => ({ body: { id: 'event5', ...readJson(call) } }),
    'PATCH /calendar/v3/calendars/primary/events/event5': (call) => ({
      body: { id: 'event5', ...readJson(call) },
    }),
    'DELETE /calendar/v3/calendars/primary/events/event5': () => ({ status: 204 }),
    'GET /calendar/v3/colors': limitedOnce(failure(429, 'rateLimitExceeded', 'Rate Limit Exceeded'), () => ({
      body: { kind: 'calendar#colors' },
    })),
  },
};

function listEvents({ query }: ApiCall): ApiAnswer {
  const types = query.getAll('eventTypes');
  if (types.join() !== 'default,focusTime') return failure(400, 'badRequest', `eventTypes: ${types}`);
  const { page, next } = readPage(
    EVENTS,
    Number(query.get('pageToken') ?? 0),
    Number(query.get('maxResults')),
  );
  return { body: { items: page, ...(next !== undefined && { nextPageToken: String(next) }) } };
}
