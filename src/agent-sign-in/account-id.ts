import { isUuid } from '../lib/ids.ts';

/** The library's name of a person: a user of one project, never of another. */
export function writeAccountId(projectId: string, subject: string): string {
  return `${projectId} ${subject}`;
}

export function readAccountId(
  text: string,
): { readonly projectId: string; readonly subject: string } | undefined {
  const blank = text.indexOf(' ');
  const projectId = text.slice(0, blank);
  return blank > 0 && isUuid(projectId) ? { projectId, subject: text.slice(blank + 1) } : undefined;
}
