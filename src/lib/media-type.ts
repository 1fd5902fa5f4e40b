/** RFC 9110 section 8.3.1. */
const TYPE_AND_SUBTYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/;

/** What follows type and subtype; undefined where the value does not begin with them. */
export function readAfterMediaType(value: string): string | undefined {
  const [found] = TYPE_AND_SUBTYPE.exec(value) ?? [];
  return found && value.slice(found.length);
}
