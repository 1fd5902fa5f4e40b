import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Requester } from './request.ts';

const nextCursor = z.string().nullable();
const way = z.object({
  id: z.string(),
  /** Those that Nango's records cannot be brought to are known by their names alone. */
  auth: z.string(),
  variables: z.array(z.object({ name: z.string(), from: z.string() })),
  /** What the integration needs, the client's id and secret among it. */
  operatorFields: z.array(z.object({ name: z.string() })),
});
const provider = z.object({
  id: z.string(),
  /** The ways to authenticate, the usual one first. */
  grants: z.array(way).min(1),
  webhooks: z.object({ secretUse: z.string() }),
});
const integration = z.object({
  id: z.string(),
  serviceProvider: z.string(),
  clientId: z.string().nullable(),
  grant: z.string().nullable(),
  scopes: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
});
const connection = z.object({
  id: z.string(),
  integrationId: z.string(),
  customMetadata: z.record(z.string(), z.unknown()),
});
const made = z.object({ id: z.string() });

export type GatewayProvider = z.infer<typeof provider>;
export type GatewayWay = z.infer<typeof way>;
export type GatewayIntegration = z.infer<typeof integration>;
export type GatewayConnection = z.infer<typeof connection>;

export type NewIntegration = {
  readonly serviceProvider: string;
  /** Left out for the usual way to authenticate. */
  readonly grant?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly variables: Readonly<Record<string, string>>;
};

export type NewConnection = {
  readonly userId: string;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly customMetadata: Readonly<Record<string, unknown>>;
};

/** The gateway's own management API, with a project API key. */
export function createGatewayApi(request: Requester) {
  const run = randomUUID();

  async function all<Item extends z.ZodType>(
    path: string,
    name: string,
    item: Item,
  ): Promise<z.infer<Item>[]> {
    const page = z.object({ [name]: z.array(item), nextCursor });
    const items: z.infer<Item>[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = page.parse(await request({ path: `/v1${path}?limit=200${next}` }));
      items.push(...z.array(item).parse(answer[name]));
      cursor = nextCursor.parse(answer.nextCursor);
    }
    return items;
  }

  async function create(path: string, body: unknown, purpose: string): Promise<string> {
    // Where an answer was lost, asking again makes nothing twice. Of this run alone: a refusal is kept as well.
    const key = createHash('sha256')
      .update(`${run}\n${purpose}\n${JSON.stringify(body)}`)
      .digest('hex');
    const headers = { 'Idempotency-Key': `nango-${key}` };
    return made.parse(await request({ method: 'POST', path, body, headers })).id;
  }

  return {
    providers: () => all('/providers', 'providers', provider),
    integrations: () => all('/integrations', 'integrations', integration),

    /** Every connection of the project that the key is of. */
    async connections(): Promise<GatewayConnection[]> {
      const [project] = await all('/projects', 'projects', made);
      return project === undefined
        ? []
        : all(`/projects/${project.id}/connections`, 'connections', connection);
    },

    createIntegration: (body: NewIntegration, nangoKey: string) =>
      create('/v1/integrations', body, `integration ${nangoKey}`),

    importConnection: (integrationId: string, body: NewConnection) =>
      create('/v1/connections', { integrationId, ...body }, 'connection'),
  };
}

export type GatewayApi = ReturnType<typeof createGatewayApi>;
