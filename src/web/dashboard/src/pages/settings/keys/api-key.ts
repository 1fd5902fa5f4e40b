import type { Schema } from '../../../api/schemas.ts';

export type ApiKey = Schema<'ApiKey'>;
export type NewApiKey = Schema<'NewApiKey'>;
