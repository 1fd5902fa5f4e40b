import { Gitlab } from '@gitbeaker/rest';
import { LinearClient } from '@linear/sdk';
import { Octokit } from '@octokit/rest';
import asana from 'asana';
import { Version3Client } from 'jira.js';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { bearer, TEXT, type TriedClient } from './tried-client.ts';

const CLOUD = '1324a887-45db-1bf4-1e99-ef0ff456d421';
const noLog = () => {};

/** Clients of providers of code, issues and tasks. */
export const WORK: readonly TriedClient[] = [
  {
    client: '@octokit/rest',
    provider: 'github',
    credentials: { accessToken: 'gho_token' },
    arrivesAs: 'POST api.github.com/repos/acme/site/issues',
    credential: bearer('gho_token'),
    call: ({ proxyUrl, token }) =>
      new Octokit({
        auth: token,
        baseUrl: proxyUrl,
        request: { fetch: gatewayFetch({ 'https://api.github.com': proxyUrl }) },
        log: { debug: noLog, info: noLog, warn: noLog, error: noLog },
      }).rest.issues.create({ owner: 'acme', repo: 'site', title: TEXT }),
    body: { title: TEXT },
    answer: { status: 201, body: { number: 1, title: TEXT } },
    result: { data: { number: 1, title: TEXT } },
    error: 'RequestError',
  },
  {
    client: '@gitbeaker/rest',
    provider: 'gitlab',
    credentials: { accessToken: 'gitlab-token' },
    arrivesAs: 'POST gitlab.com/api/v4/projects/1/labels',
    credential: bearer('gitlab-token'),
    call: ({ proxyUrl, token }) =>
      new Gitlab({ host: proxyUrl, oauthToken: token }).ProjectLabels.create(1, TEXT, '#ffffff'),
    body: { name: TEXT },
    answer: { status: 201, body: { id: 1, name: TEXT } },
    result: { id: 1, name: TEXT },
    error: 'GitbeakerRequestError',
  },
  {
    client: 'jira.js',
    provider: 'jira',
    credentials: { accessToken: 'jira-token', variables: { cloudId: CLOUD } },
    arrivesAs: `POST api.atlassian.com/ex/jira/${CLOUD}/rest/api/3/filter`,
    credential: bearer('jira-token'),
    call: ({ proxyUrl, token }) =>
      new Version3Client({
        host: proxyUrl,
        authentication: { oauth2: { accessToken: token } },
      }).filters.createFilter({ name: TEXT }),
    body: { name: TEXT },
    answer: { body: { id: '1', name: TEXT } },
    result: { id: '1', name: TEXT },
    error: 'HttpException',
    textOf: ({ response }) => response.data.message,
  },
  {
    client: '@linear/sdk',
    provider: 'linear',
    credentials: { accessToken: 'linear-token' },
    arrivesAs: 'POST api.linear.app/graphql',
    credential: bearer('linear-token'),
    call: ({ proxyUrl, token }) =>
      new LinearClient({ accessToken: token, apiUrl: `${proxyUrl}/graphql` }).createIssue({
        teamId: 't1',
        title: TEXT,
      }),
    body: { variables: { input: { teamId: 't1', title: TEXT } } },
    answer: { body: { data: { issueCreate: { success: true, lastSyncId: 1, issue: { id: 'i1' } } } } },
    result: { success: true },
    error: 'AuthenticationLinearError',
    textOf: ({ raw }) => raw.response.message,
  },
  {
    client: 'asana',
    provider: 'asana',
    credentials: { accessToken: 'asana-token' },
    arrivesAs: 'POST app.asana.com/api/1.0/tasks',
    credential: bearer('asana-token'),
    call: ({ proxyUrl, token }) => {
      const client = new asana.ApiClient();
      client.basePath = `${proxyUrl}/api/1.0`;
      client.authentications.token!.accessToken = token;
      return new asana.TasksApi(client).createTask({ data: { name: TEXT } }, {});
    },
    body: { data: { name: TEXT } },
    answer: { status: 201, body: { data: { gid: '1', name: TEXT } } },
    result: { data: { gid: '1', name: TEXT } },
    error: 'Error',
    textOf: ({ response }) => response.body.message,
  },
];
