import { HttpError } from '../http/errors.ts';

/** The body is longer than what may be held for its signature. */
export function bodyTooLargeToSignError(bytesMax: number): HttpError {
  return new HttpError('body_too_large_to_sign', {
    detail: `This provider wants bodies signed, and up to ${bytesMax} bytes are held for that.`,
  });
}

/** The credential lacks what the signature is made of, or a value that no field can carry. */
export function incompleteCredentialError(): HttpError {
  return new HttpError('integration_misconfigured', {
    detail: 'The credential of the connection is incomplete: its calls cannot be signed.',
  });
}

/** RFC 3986 section 2.1: two hexadecimal digits follow a percent sign. */
export function unreadableTargetError(): HttpError {
  return new HttpError('invalid_path', {
    detail: 'The path or the query has a percent sign that begins no encoded byte, so it cannot be signed.',
  });
}
