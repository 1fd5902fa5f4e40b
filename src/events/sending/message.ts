import { type EventHead, envelopeText } from '../stream/event.ts';
import type { Message } from './sender.ts';

const CONTENT_TYPES: Readonly<Record<DestinationFormat, string>> = {
  standard: 'application/json',
  cloudevents: 'application/cloudevents+json',
};

/**
 * The body for a destination. `cloudevents`: structured mode of CloudEvents 1.0 with the whole envelope as `data`. Texts
 * are put together, never parsed, so that no number of a payload changes.
 */
export function buildMessage(
  event: EventHead,
  dataText: string,
  format: DestinationFormat,
  publicUrl: string,
): Omit<Message, 'secrets'> {
  const envelope = envelopeText(event, dataText);
  const { id, connectionId, projectId } = event;
  // What happened in one connection stays in one partition, where its order holds.
  const head = { id, contentType: CONTENT_TYPES[format], key: connectionId ?? projectId };
  if (format === 'standard') return { ...head, body: envelope };
  const attributes = JSON.stringify({
    specversion: '1.0',
    id,
    source: `${publicUrl}/projects/${projectId}`,
    type: event.type,
    time: event.createdAt.toISOString(),
    ...(event.object !== undefined && { subject: `${event.object.type}/${event.object.id}` }),
    datacontenttype: 'application/json',
  });
  return { ...head, body: `${attributes.slice(0, -1)},"data":${envelope}}` };
}

export const DESTINATION_FORMATS = ['standard', 'cloudevents'] as const;

export type DestinationFormat = (typeof DESTINATION_FORMATS)[number];
