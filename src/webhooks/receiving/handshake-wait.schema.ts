import { z } from 'zod';

export const handshakeWaitSchema = z
  .object({
    state: z.enum(['unused', 'known', 'closed', 'open']).meta({
      description:
        '`unused`: no handshake of the provider brings the secret of this address. `known`: it has a webhook secret. `closed`: a handshake that brings one is refused. `open`: the first one until `expiresAt` is taken.',
    }),
    expiresAt: z.iso.datetime().nullable().meta({ description: 'Null unless it is open.' }),
  })
  .meta({ id: 'WebhookHandshake' });
