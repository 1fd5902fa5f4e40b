import { z } from 'zod';
import type { Requester } from './request.ts';

/** Their list takes 2000 at most. */
const PAGE_SIZE = 1000;

const text = z.string().min(1);
const optional = text.nullish().transform((value) => value ?? undefined);
const someObject = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});

const integrationKey = z.object({ unique_key: text, provider: text });
const integrationList = z.object({ data: z.array(integrationKey) });
const integration = z.object({
  data: integrationKey.extend({
    credentials: z
      .object({
        type: z.string(),
        client_id: optional,
        client_secret: optional,
        scopes: optional,
        webhook_secret: optional,
      })
      .nullish()
      .transform((value) => value ?? undefined),
  }),
});

const connection = z.object({
  connection_id: text,
  provider_config_key: text,
  provider: text,
  metadata: someObject,
  end_user: z.object({ id: text }).nullish(),
  tags: someObject,
});
const connectionPage = z.object({ connections: z.array(connection) });

/** Kinds that are typed into a form have members of their own, which stay. */
const credentials = z.looseObject({
  type: z.string().default('NONE'),
  access_token: optional,
  refresh_token: optional,
  /** What client credentials were exchanged for. */
  token: optional,
  expires_at: optional,
  apiKey: optional,
  username: optional,
  password: z.string().nullish(),
  client_id: optional,
  client_secret: optional,
  config_override: z.object({ client_id: optional, client_secret: optional }).nullish(),
  raw: someObject,
});
const fullConnection = connection.extend({ connection_config: someObject, credentials });

export type NangoIntegration = z.infer<typeof integration>['data'];
export type NangoConnection = z.infer<typeof connection>;
export type NangoFullConnection = z.infer<typeof fullConnection>;

/** Nango's public API, as far as an import needs it (docs: reference/backend/http-api). */
export function createNangoApi(request: Requester, pageSize = PAGE_SIZE) {
  return {
    async integrations(): Promise<z.infer<typeof integrationKey>[]> {
      return integrationList.parse(await request({ path: '/integrations' })).data;
    },

    async integration(key: string): Promise<NangoIntegration> {
      const path = `/integrations/${encodeURIComponent(key)}?include=credentials`;
      return integration.parse(await request({ path })).data;
    },

    /** Pages are counted from 0; nothing but a short page tells the last one. */
    async *connections(): AsyncGenerator<NangoConnection> {
      for (let page = 0; ; page += 1) {
        const path = `/connections?limit=${pageSize}&page=${page}`;
        const { connections } = connectionPage.parse(await request({ path }));
        yield* connections;
        if (connections.length < pageSize) return;
      }
    },

    /** With its credentials, which Nango refreshes first where they are about to expire. */
    async connection({ connection_id, provider_config_key }: NangoConnection): Promise<NangoFullConnection> {
      const query = new URLSearchParams({ provider_config_key, refresh_token: 'true' });
      return fullConnection.parse(
        await request({ path: `/connections/${encodeURIComponent(connection_id)}?${query}` }),
      );
    },
  };
}

export type NangoApi = ReturnType<typeof createNangoApi>;
