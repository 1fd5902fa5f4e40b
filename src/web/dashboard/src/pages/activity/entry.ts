import type { Schema } from '../../api/schemas.ts';

/** An entry of the audit log. */
export type Entry = Schema<'Activity'>;
