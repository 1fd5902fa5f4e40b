const JSON_TYPE =
  /^\s*(?:application|text)\/(?:[\w.!#$&^-]+\+)?(?:json|javascript|x-amz-json-1\.\d)\s*(?:;|$)/i;
const XML_TYPE = /^\s*(?:application|text)\/(?:[\w.!#$&^-]+\+)?xml\s*(?:;|$)/i;

/** Whether a `Content-Type` is JSON's, also under the names that AWS and older servers give it. */
export const isJsonType = (contentType: string): boolean => JSON_TYPE.test(contentType);

export const isXmlType = (contentType: string): boolean => XML_TYPE.test(contentType);
