import { REST } from '@discordjs/rest';
import { LogLevel, WebClient } from '@slack/web-api';
import twilio from 'twilio';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { basic } from '../provider-apis/parts.ts';
import { bearer, TEXT, type TriedClient } from './tried-client.ts';

const ACCOUNT = `AC${'0'.repeat(32)}`;

/** Clients of providers of messages between people. */
export const MESSAGES: readonly TriedClient[] = [
  {
    client: '@slack/web-api',
    provider: 'slack',
    credentials: { accessToken: 'xoxb-token' },
    arrivesAs: 'POST slack.com/api/chat.postMessage',
    credential: bearer('xoxb-token'),
    call: ({ proxyUrl, token }) =>
      new WebClient(token, {
        slackApiUrl: `${proxyUrl}/`,
        fetch: gatewayFetch({ 'https://slack.com/api': proxyUrl }),
        retryConfig: { retries: 0 },
        logLevel: LogLevel.ERROR,
      }).chat.postMessage({ channel: 'C1', text: TEXT }),
    body: { channel: 'C1', text: TEXT },
    answer: { body: { ok: true, ts: '1.2', message: { text: TEXT } } },
    result: { ok: true, message: { text: TEXT } },
    error: 'WebAPIHTTPError',
    textOf: ({ body }) => Object(body).message,
  },
  {
    client: '@discordjs/rest',
    provider: 'discord',
    credentials: { accessToken: 'discord-token' },
    arrivesAs: 'POST discord.com/api/v10/channels/1/messages',
    credential: bearer('discord-token'),
    call: ({ proxyUrl, token }) =>
      new REST({ api: `${proxyUrl}/api`, authPrefix: 'Bearer', retries: 0 })
        .setToken(token)
        .post('/channels/1/messages', { body: { content: TEXT } }),
    body: { content: TEXT },
    answer: { body: { id: 'm1', content: TEXT } },
    result: { id: 'm1', content: TEXT },
    error: 'DiscordAPIError',
  },
  {
    client: 'twilio',
    provider: 'twilio',
    credentials: { username: 'SKkey', password: 'twilio-secret', variables: { accountSid: ACCOUNT } },
    arrivesAs: `POST api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
    credential: ['authorization', basic('SKkey', 'twilio-secret')],
    call: ({ proxyUrl, token }) => {
      class GatewayRequests extends twilio.RequestClient {
        override request<T>(options: Parameters<typeof twilio.RequestClient.prototype.request<T>>[0]) {
          options.uri = options.uri.replace('https://api.twilio.com', proxyUrl);
          return super.request(options);
        }
      }
      const httpClient = new GatewayRequests();
      const client = twilio('user', token, { accountSid: ACCOUNT, httpClient });
      return client.messages.create({ to: '+15550100', from: '+15550101', body: TEXT });
    },
    body: { To: '+15550100', Body: TEXT },
    answer: { status: 201, body: { sid: 'SM1', body: TEXT } },
    result: { sid: 'SM1', body: TEXT },
    error: 'RestException',
  },
];
