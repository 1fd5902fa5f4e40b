import { isQuickToParse } from '../../lib/json-bounds.ts';
import { readContentType, readMessage } from '../message/read-message.ts';
import type { WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { LARGE_BODY_BYTES } from './body-threads.ts';

const FORMS: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * Whether the body of a verified webhook is what its provider sends, as far as that can be seen at once (a large one is
 * judged when its events are extracted): JSON where the provider sends JSON, a list or an object, or a form with a field
 * of it where the provider sends both.
 */
export function isReadable({ payload }: WebhookDescription, request: WebhookRequest): boolean {
  const { body } = request;
  if (payload.format === 'empty') return true;
  if (body.length === 0) return false;
  if (payload.format !== 'json' || body.length > LARGE_BODY_BYTES) return true;
  try {
    const isForm = payload.field !== undefined && FORMS.has(readContentType(request));
    const text = isForm ? readMessage(request, payload).jsonText() : body.toString('utf8');
    // Brackets alone would hold everything else up, and are no webhook.
    if (text === undefined || !isQuickToParse(text)) return false;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
