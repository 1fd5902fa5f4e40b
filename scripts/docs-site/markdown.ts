/** Text in which nothing is markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|*_<>[\]{}`#~]/g, '\\$&');
}

/** An inline code span, whatever the text holds; `|` would end a cell of a table. */
export function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const marks = '`'.repeat(longest + 1);
  const padding = longest > 0 ? ' ' : '';
  return `${marks}${padding}${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}${padding}${marks}`;
}

/** A table, or nothing where it would have no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\n+/g, ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A section with its heading, or nothing where it would be empty. */
export function section(heading: string, ...parts: readonly string[]): string {
  const body = parts.filter((part) => part !== '').join('\n\n');
  return body === '' ? '' : `${heading}\n\n${body}`;
}

/** Parts that are there, a blank line between. */
export function join(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n');
}
