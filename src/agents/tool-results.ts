import { type HttpError, type ProblemMembers, problem } from '../http/errors.ts';

/** What a tool gives back: the same as structured content, and as text for clients that read no other. */
export type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
};

export function createResult(structuredContent: Record<string, unknown>, isError = false): ToolResult {
  const content: ToolResult['content'] = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return isError ? { content, structuredContent, isError } : { content, structuredContent };
}

/** A refusal of the gateway's own: what it is called, and what to do about it. */
export type Refusal = {
  readonly code: string;
  readonly detail: string;
  readonly remedy: string;
  readonly retryable: boolean;
} & ProblemMembers;

export function describeRefusal(error: HttpError): Refusal {
  const { code, detail, remedy, retryable } = problem(error, { requestId: '', publicUrl: '' });
  const faults = error.errors?.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ...error.extra, code, detail: faults ? `${detail} ${faults}` : detail, remedy, retryable };
}

export function createRefusal(refusal: Refusal): ToolResult {
  return createResult({ source: 'gateway', ...refusal }, true);
}
