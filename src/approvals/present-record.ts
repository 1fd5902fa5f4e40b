import { findPresentRecord, type PresentRecord } from '../catalog/facts/present-record.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Approval, StoredCall } from './approval.ts';
import { isForm } from './approvals.schema.ts';
import { diffRecord, isObject, type RecordDiff, readFields } from './diff-record.ts';
import type { ReadRecord } from './read-record.ts';

/** What the record is now beside what the call makes of it. */
export type Present =
  | { readonly kind: 'changes'; readonly diff: RecordDiff }
  /** What would be deleted, as the provider answers it. */
  | { readonly kind: 'deleted'; readonly text: string };

export type FindPresent = (
  approval: Approval,
  call: StoredCall,
  body: Buffer,
) => Promise<Present | undefined>;

/** So many names are asked for in one address. */
const SELECTED_MAX = 50;
const SELECTED_LENGTH_MAX = 2_000;

/**
 * The record that a call would change, where the provider's file tells how it is read, compared with the call's body. Undefined
 * where any of it fails: the page then shows the call alone.
 */
export function createFindPresent(deps: {
  readonly providers: Pick<Providers, 'find'>;
  readonly readRecord: ReadRecord;
}): FindPresent {
  return async (approval, call, body) => {
    const provider = await deps.providers.find(approval.projectId, approval.provider, null);
    const { method } = approval;
    const found = provider && findPresentRecord(provider, { method, host: call.host, path: call.path });
    if (found === undefined) return undefined;
    const fields = method === 'DELETE' ? {} : readFields(body, isForm(call));
    if (fields === undefined) return undefined;
    const answer = await deps.readRecord(approval, {
      ...call,
      query: joinQuery(call.query, selectFields(found, fields)),
    });
    const record = answer && readAnswer(answer, found);
    if (answer === undefined || record === undefined) return undefined;
    return method === 'DELETE'
      ? { kind: 'deleted', text: found.answer === undefined ? answer.toString() : JSON.stringify(record) }
      : { kind: 'changes', diff: diffRecord(fields, record) };
  };
}

/** The call's own query stays: it may say which record its path means. */
function joinQuery(own: string, added: string): string {
  if (own.length <= 1) return added === '' ? '' : `?${added}`;
  return added === '' ? own : `${own}&${added}`;
}

/** What has the GET show the fields that the body sets. */
function selectFields({ select }: PresentRecord, fields: unknown): string {
  const chosen = select && isObject(fields) ? fields[select.member] : undefined;
  if (select === undefined || !isObject(chosen)) return '';
  const names = Object.keys(chosen).slice(0, SELECTED_MAX).map(encodeURIComponent).join(',');
  return names === '' || names.length > SELECTED_LENGTH_MAX ? '' : `${select.parameter}=${names}`;
}

function readAnswer(answer: Buffer, { answer: member }: PresentRecord): unknown {
  const value = parseExactJson(answer.toString());
  const record = member !== undefined && isObject(value) ? value[member] : value;
  return isObject(record) ? record : undefined;
}
