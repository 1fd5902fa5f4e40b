import { authorizedBy, limitedOnce, readForm, readMultipart, readPage } from './parts.ts';
import type { ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const TOKEN = 'xoxb-slack-bot-token';
const CHANNELS = ['general', 'random', 'sales', 'support', 'dogs'].map((name, index) => ({
  id: `C${index}`,
  name,
}));
const files = new Map<string, string>();

/** Bearer token, forms in, failures under status 200, cursors, files sent to an address that the API names. */
export const slack: TriedProvider = {
  id: 'slack',
  credentials: { accessToken: TOKEN },
  apisAt: (urlOf) => [webApi(urlOf('files.slack.com')), fileHost],
};

const refusal = (error: string) => ({ body: { ok: false, error } });

const webApi = (filesUrl: string): ProviderApi => ({
  host: 'slack.com',
  isAuthorized: authorizedBy(`Bearer ${TOKEN}`),
  unauthorized: refusal('invalid_auth'),
  notFound: refusal('unknown_method'),
  routes: {
    'POST /api/conversations.list': listChannels,
    'POST /api/chat.postMessage': postMessage,
    'POST /api/users.info': limitedOnce({ status: 429, headers: { 'retry-after': '0' } }, (call) => ({
      body: { ok: true, user: { id: readForm(call).get('user'), name: 'mia' } },
    })),
    'POST /api/files.getUploadURLExternal': () => ({
      body: { ok: true, file_id: 'F1', upload_url: `${filesUrl}/upload/v1/F1` },
    }),
    'POST /api/files.completeUploadExternal': (call) => {
      const [file] = JSON.parse(readForm(call).get('files') ?? '[]');
      return { body: { ok: true, files: [{ ...file, preview: files.get(file.id) }] } };
    },
  },
});

/** Its addresses are good by themselves; a credential has no business here. */
const fileHost: ProviderApi = {
  host: 'files.slack.com',
  isAuthorized: ({ authorization }) => authorization === undefined,
  unauthorized: { status: 400, body: 'unexpected credential' },
  notFound: { status: 404 },
  routes: {
    'POST /upload/v1/F1': async (call) => {
      const file = (await readMultipart(call)).get('body');
      files.set('F1', file instanceof Blob ? await file.text() : '');
      return { body: `OK - ${call.body.length}` };
    },
  },
};

function listChannels(call: ApiCall) {
  const form = readForm(call);
  const { page, next } = readPage(CHANNELS, Number(form.get('cursor') ?? 0), Number(form.get('limit')));
  return { body: { ok: true, channels: page, response_metadata: { next_cursor: String(next ?? '') } } };
}

function postMessage(call: ApiCall) {
  const form = readForm(call);
  const channel = CHANNELS.find(({ id }) => id === form.get('channel'));
  if (channel === undefined) return refusal('channel_not_found');
  return { body: { ok: true, channel: channel.id, ts: '1.2', message: { text: form.get('text') } } };
}
