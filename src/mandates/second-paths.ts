import { foldFieldName } from '../lib/field-name.ts';

/**
 * Fields that name a second resource: where one is copied or moved to (RFC 4918 section 10.3), or copied from, as stores of
 * objects have it (S3, Azure, Google and what is modelled on them).
 */
const SECOND_PATH = /^(?:destination|x-[a-z]+-(?:copy|rename)-source)$/;

/** Most names are done with one look at their letters. */
const SPEAKS_OF_PLACES = /destination|source$/i;

/** The field by which a call names a second path, to which the paths of a mandate were not applied; undefined: none does. */
export function findSecondPath(rawHeaders: readonly string[]): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (SPEAKS_OF_PLACES.test(name) && SECOND_PATH.test(foldFieldName(name))) return name;
  }
  return undefined;
}
