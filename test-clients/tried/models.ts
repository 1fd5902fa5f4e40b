import Anthropic from '@anthropic-ai/sdk';
import { DeepLClient } from 'deepl-node';
import OpenAI from 'openai';
import { bearer, TEXT, type TriedClient } from './tried-client.ts';

/** Clients of providers of language models and translation. */
export const MODELS: readonly TriedClient[] = [
  {
    client: 'openai',
    provider: 'openai',
    credentials: { apiKey: 'sk-openai' },
    arrivesAs: 'POST api.openai.com/v1/chat/completions',
    credential: bearer('sk-openai'),
    call: ({ proxyUrl, token }) =>
      new OpenAI({ apiKey: token, baseURL: `${proxyUrl}/v1`, maxRetries: 0 }).chat.completions.create({
        model: 'gpt',
        messages: [{ role: 'user', content: TEXT }],
      }),
    body: { messages: [{ role: 'user', content: TEXT }] },
    answer: { body: { choices: [{ message: { role: 'assistant', content: TEXT } }] } },
    result: { choices: [{ message: { content: TEXT } }] },
    error: 'AuthenticationError',
  },
  {
    client: '@anthropic-ai/sdk',
    provider: 'anthropic',
    credentials: { apiKey: 'sk-ant-key' },
    arrivesAs: 'POST api.anthropic.com/v1/messages',
    credential: ['x-api-key', 'sk-ant-key'],
    call: ({ proxyUrl, token }) =>
      new Anthropic({ apiKey: token, baseURL: proxyUrl, maxRetries: 0 }).messages.create({
        model: 'claude',
        max_tokens: 16,
        messages: [{ role: 'user', content: TEXT }],
      }),
    body: { messages: [{ role: 'user', content: TEXT }] },
    answer: { body: { type: 'message', role: 'assistant', content: [{ type: 'text', text: TEXT }] } },
    result: { content: [{ text: TEXT }] },
    error: 'AuthenticationError',
  },
  {
    client: 'deepl-node',
    provider: 'deepl',
    credentials: { apiKey: 'deepl-key:fx', variables: { host: 'api-free' } },
    arrivesAs: 'POST api-free.deepl.com/v2/translate',
    credential: ['authorization', 'DeepL-Auth-Key deepl-key:fx'],
    call: ({ proxyUrl, token }) =>
      new DeepLClient(token, { serverUrl: proxyUrl, maxRetries: 0 }).translateText(TEXT, null, 'de'),
    body: { text: TEXT },
    answer: { body: { translations: [{ text: TEXT, detected_source_language: 'EN' }] } },
    result: { text: TEXT },
    error: 'DeepLError',
  },
];
