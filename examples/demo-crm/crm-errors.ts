import { randomUUID } from 'node:crypto';

/** Error categories of HubSpot's CRM API that this server uses. */
export type CrmErrorCategory =
  | 'CONFLICT'
  | 'EXPIRED_AUTHENTICATION'
  | 'INTERNAL_ERROR'
  | 'INVALID_AUTHENTICATION'
  | 'MISSING_SCOPES'
  | 'OBJECT_NOT_FOUND'
  | 'RATE_LIMITS'
  | 'VALIDATION_ERROR';

/** A refusal with the status and the members that HubSpot's answer has; thrown by handlers, sent in one place. */
export class CrmError extends Error {
  readonly status: number;
  readonly category: CrmErrorCategory;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    category: CrmErrorCategory,
    message: string,
    extra: Record<string, unknown> = {},
  ) {
    super(message);
    this.status = status;
    this.category = category;
    this.extra = extra;
  }
}

/** Body in HubSpot's shape (https://developers.hubspot.com/docs/api-reference/error-handling). */
export function toErrorBody({ category, message, extra }: CrmError) {
  return { status: 'error', message, correlationId: randomUUID(), category, ...extra };
}

export function notFound(): CrmError {
  return new CrmError(404, 'OBJECT_NOT_FOUND', 'There is no contact with this identifier.');
}

/** `details` as HubSpot's `errors` array: what is wrong, a code, and which property or parameter it is about. */
export function invalid(
  message: string,
  details: { message: string; code: string; name: string }[] = [],
): CrmError {
  const errors = details.map(({ name, ...detail }) => ({ ...detail, context: { propertyName: [name] } }));
  return new CrmError(400, 'VALIDATION_ERROR', message, errors.length > 0 ? { errors } : {});
}
