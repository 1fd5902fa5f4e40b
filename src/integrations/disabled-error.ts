import { HttpError } from '../http/errors.ts';

/** The refusal of an integration that is switched off. Its reason is written for applications and end users. */
export function buildDisabledError({
  id,
  reason,
}: {
  readonly id: string;
  readonly reason: string;
}): HttpError {
  return new HttpError('integration_disabled', {
    detail: `The integration has been switched off: ${reason}`,
    extra: { integrationIds: [id] },
  });
}
