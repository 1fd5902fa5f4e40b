import { HttpError } from '../../http/errors.ts';

/** Throws `forbidden` for who does not own the gateway. */
export function assertGatewayOwner(isOwner: boolean): void {
  if (isOwner) return;
  throw new HttpError('forbidden', {
    detail: 'Only an owner of the gateway may do this; owning a project is not enough.',
  });
}
