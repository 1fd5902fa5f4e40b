import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GATEWAY_EVENTS } from '../../src/events/gateway-events/event-payloads.ts';
import { eventSchema } from '../../src/events/reading/events.schema.ts';
import { TYPE_PATTERN } from '../../src/events/stream/event.ts';
import { callApiOk } from '../support/gateway.ts';
import { connectAccount, type Stage, startStage } from '../support/stage.ts';

type Event = z.output<typeof eventSchema>;

/** The names of all members, those of `data` too. */
const membersOf = ({ data, ...event }: Event) => [
  ...Object.keys(event).sort(),
  ...Object.keys(z.looseObject({}).parse(data)).sort(),
];

describe('what is documented of the gateway’s own events', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.close());

  it('is what comes', async () => {
    const { gateway, project, integration } = stage;
    const call = (method: string, path: string, body?: object) =>
      callApiOk(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });
    const connection = await connectAccount(stage, { userId: 'documented' });
    await connectAccount(stage, { userId: 'documented' });
    await call('PATCH', `/v1/integrations/${integration.id}`, { scopes: ['oauth'] });
    await call('DELETE', `/v1/connections/${connection.id}`);
    const wanted = [
      'connection.created',
      'connection.reauthorized',
      'integration.updated',
      'connection.deleted',
    ];
    const came: Event[] = [];
    for (let after = ''; came.length < wanted.length; ) {
      const page: { events: Event[]; nextAfter: string } = await call('GET', `/v1/events?wait=30${after}`);
      came.push(...page.events);
      after = `&after=${page.nextAfter}`;
    }
    expect(came.map(({ type }) => type)).toEqual(wanted);
    for (const event of came) {
      const documented = Object.entries(GATEWAY_EVENTS).find(([type]) => type === event.type)?.[1];
      expect(documented?.schema.safeParse(event).error).toBeUndefined();
      expect(membersOf(event)).toEqual(membersOf(eventSchema.parse(documented?.example)));
    }
  });

  it.each(Object.entries(GATEWAY_EVENTS))('has an example of %s that fits its schema', (type, documented) => {
    expect(documented.schema.parse(documented.example)).toMatchObject({ type });
  });
});

describe('docs/events.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8');
  const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text));

  it('has examples that are events, and types that can be asked for', () => {
    expect(examples.length).toBeGreaterThanOrEqual(Object.keys(GATEWAY_EVENTS).length);
    for (const example of examples) expect(eventSchema.safeParse(example).error).toBeUndefined();
    const types = [...page.matchAll(/^\| `([^`]+\.(?:created|updated|deleted|other))` \|/gm)];
    const refused = types.map(([, type = '']) => type).filter((type) => !TYPE_PATTERN.test(type));
    expect(refused).toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  it('tells what destinations receive of each type of the gateway’s own, and of providers', () => {
    const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));
    expect(Object.keys(document.webhooks)).toEqual([
      ...Object.keys(GATEWAY_EVENTS),
      'activity.<action>',
      '<provider>.<object>.<change>',
    ]);
    for (const { post } of Object.values<{ post: { parameters: { name: string }[] } }>(document.webhooks))
      expect(post.parameters.map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
  });
});
