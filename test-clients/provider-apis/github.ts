import { authorizedBy, readJson, readPage } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'gho_github-token';
const ISSUES = Array.from({ length: 5 }, (_, index) => ({ number: index + 1, title: `Issue ${index + 1}` }));

/** A scheme in lower case, pages named by absolute addresses in `Link`, REST and GraphQL, redirects to other hosts. */
export const github: TriedProvider = {
  id: 'github',
  credentials: { accessToken: TOKEN },
  apisAt: (urlOf) => [restApi(urlOf('codeload.github.com')), downloads],
};

const restApi = (downloadsUrl: string): ProviderApi => ({
  host: 'api.github.com',
  isAuthorized: authorizedBy(`Bearer ${TOKEN}`),
  unauthorized: { status: 401, body: { message: 'Bad credentials', status: '401' } },
  notFound: { status: 404, body: { message: 'Not Found', status: '404' } },
  routes: {
    'GET /repos/acme/site/issues': listIssues,
    'POST /repos/acme/site/issues': createIssue,
    'GET /search/code': () => ({
      status: 403,
      headers: { 'retry-after': '60', 'x-ratelimit-remaining': '0' },
      body: { message: 'API rate limit exceeded', documentation_url: 'https://docs.github.com/rest' },
    }),
    'POST /graphql': (call) => ({ body: { data: { viewer: { login: readJson(call).variables.login } } } }),
    'GET /repos/acme/site/zipball/main': () => ({
      status: 302,
      headers: { location: `${downloadsUrl}/acme/site/legacy.zip/main` },
    }),
  },
});

const downloads: ProviderApi = {
  host: 'codeload.github.com',
  isAuthorized: ({ authorization }) => authorization === undefined,
  unauthorized: { status: 400, body: 'unexpected credential' },
  notFound: { status: 404 },
  routes: {
    'GET /acme/site/legacy.zip/main': () => ({
      headers: { 'content-type': 'application/zip' },
      body: Buffer.from('PK zip'),
    }),
  },
};

function listIssues({ query }: ApiCall): ApiAnswer {
  const size = Number(query.get('per_page') ?? 30);
  const number = Number(query.get('page') ?? 1);
  const { page, next } = readPage(ISSUES, (number - 1) * size, size);
  const following = `https://api.github.com/repos/acme/site/issues?per_page=${size}&page=${number + 1}`;
  return { headers: next === undefined ? {} : { link: `<${following}>; rel="next"` }, body: page };
}

function createIssue(call: ApiCall): ApiAnswer {
  const { title, labels } = readJson(call);
  if (title) return { status: 201, body: { number: 6, title, labels } };
  const errors = [{ resource: 'Issue', field: 'title', code: 'missing_field' }];
  return { status: 422, body: { message: 'Validation Failed', errors } };
}
