import type { Schema } from '../../../api/schemas.ts';

export type SigningKey = Schema<'SigningKey'>;
