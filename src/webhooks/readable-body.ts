import { LARGE_BYTES } from './large-bodies.ts';
import { isQuickToParse } from './json-bounds.ts';
import type { WebhookDescription, WebhookRequest } from './webhook.ts';

/**
 * Whether the body of a verified webhook is what its provider sends, as far as that can be told at once (a large one is
 * judged when it is split): JSON where the
 * provider sends JSON, with at least one event where it sends a list or an object that cannot be empty.
 */
export function isReadable({ payload }: WebhookDescription, { body }: WebhookRequest): boolean {
  if (payload.format === 'empty') return true;
  if (body.length === 0) return false;
  if (payload.format !== 'json' || body.length > LARGE_BYTES) return true;
  try {
    const text = body.toString('utf8');
    // Half a MiB of brackets would hold everything else up, and is no webhook.
    if (!isQuickToParse(text)) return false;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
