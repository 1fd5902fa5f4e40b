import { z } from 'zod';
import { urlTemplate } from './provider-fields.schema.ts';

/** What a provider file says of a vendor's MCP server, whose authorization server is found by asking it. */
export const mcpFields = {
  mcp: z
    .strictObject({
      /** The MCP endpoint (streamable HTTP). Also the resource that tokens are asked for, unless its metadata says another. */
      url: urlTemplate,
      /**
       * `automatic`: the gateway has a client of its own there, by a metadata document or by registration. `operator`: the
       * server knows only clients that an operator registered in its portal.
       */
      registration: z.enum(['automatic', 'operator']).default('automatic'),
      /** Where clients register (RFC 7591), for a server that publishes no metadata. */
      registrationUrl: urlTemplate.optional(),
    })
    .optional(),
};
