import { authorizedBy, readForm, readMultipart } from './parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './server.ts';
import type { TriedProvider } from './stage.ts';

const KEY = 'deepl-key:fx';
let uploaded = '';

/** A scheme of its own, two versions of the API at once, documents up as multipart and down as bytes. */
export const deepl: TriedProvider = {
  id: 'deepl',
  credentials: { apiKey: KEY, variables: { host: 'api-free' } },
  apisAt: () => [api],
};

const GLOSSARY = {
  glossary_id: 'glossary-1',
  name: 'Terms',
  dictionaries: [{ source_lang: 'en', target_lang: 'de', entry_count: 1 }],
  creation_time: '2026-11-21T10:00:00Z',
};

const api: ProviderApi = {
  host: 'api-free.deepl.com',
  isAuthorized: authorizedBy(`DeepL-Auth-Key ${KEY}`),
  unauthorized: { status: 403, body: { message: 'Forbidden' } },
  notFound: { status: 404, body: { message: 'Not found' } },
  routes: {
    'POST /v2/translate': translate,
    'GET /v2/usage': () => ({ body: { character_count: 30, character_limit: 500_000 } }),
    'GET /v2/languages': () => ({ status: 429, body: { message: 'Too many requests' } }),
    'GET /v3/glossaries': () => ({ body: { glossaries: [GLOSSARY] } }),
    'POST /v2/document': async (call) => {
      const file = (await readMultipart(call)).get('file');
      uploaded = file instanceof File ? await file.text() : '';
      return { body: { document_id: 'document-1', document_key: 'key-1' } };
    },
    'POST /v2/document/document-1': () => ({
      body: { document_id: 'document-1', status: 'done', billed_characters: uploaded.length },
    }),
    'POST /v2/document/document-1/result': (call) =>
      readForm(call).get('document_key') === 'key-1'
        ? {
            headers: { 'content-type': 'application/octet-stream' },
            body: Buffer.from(uploaded.toUpperCase()),
          }
        : api.notFound,
  },
};

function translate(call: ApiCall): ApiAnswer {
  const form = readForm(call);
  if (form.get('target_lang') === 'XX')
    return { status: 400, body: { message: 'target_lang not supported' } };
  if (form.get('text') === 'too much') return { status: 456, body: { message: 'Quota exceeded' } };
  const translations = form
    .getAll('text')
    .map((text) => ({ text: text.toUpperCase(), detected_source_language: 'EN' }));
  return { body: { translations } };
}
