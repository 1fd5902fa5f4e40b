import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Of this gateway, and of the catalog that is built into it. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
