/** RFC 9110 section 5.6.2. */
const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source;

/** Source of a pattern for type and subtype (RFC 9110 section 8.3.1). What may stand around them is the caller's to say. */
export const TYPE_AND_SUBTYPE = `${TOKEN}\\/${TOKEN}`;
