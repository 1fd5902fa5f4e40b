/** The target of `rel="next"` in a `Link` header (RFC 8288); null where there is none. */
export function findNextLink(field: string | string[] | undefined): string | null {
  for (const part of [field ?? []]
    .flat()
    .join(',')
    .slice(0, 10_000)
    .split(/,(?=\s*<)/)) {
    const [, target, parameters = ''] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (target !== undefined && parameters.split(';').some(isNextRelation)) return target;
  }
  return null;
}

/** A parameter such as `rel="next last"`. */
function isNextRelation(parameter: string): boolean {
  const [name = '', value = ''] = parameter.toLowerCase().split('=', 2);
  return name.trim() === 'rel' && value.replaceAll('"', ' ').split(/\s/).includes('next');
}
