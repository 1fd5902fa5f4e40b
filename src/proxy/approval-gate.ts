import { HttpError } from '../http/errors.ts';
import { callCredential } from './call-credential.ts';
import type { CallOptions } from './call-environment.ts';
import { isPromise } from './chain.ts';
import type { ApprovalQuestion, Approvals, MaybePromise } from './contract.ts';
import type { Identified } from './identify.ts';
import { outgoingFields } from './outgoing-fields.ts';
import type { RequestBody } from './request-body.ts';

/** What a person can be asked to read, and what is stored of a call for the time that they take. */
const APPROVED_BODY_BYTES_MAX = 256 * 1024;

/**
 * They frame the message, name its connection or trace it; each transmission has its own. `Host` and the credential are
 * the gateway's.
 */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'traceparent',
  'tracestate',
]);

type GateCall = {
  readonly options: CallOptions;
  readonly identified: Identified;
  readonly body: RequestBody;
  /** The call is still there to be sent or refused. */
  isAlive(): boolean;
  /** While the caller's body is read. */
  setReading(isReading: boolean): void;
  /** Throws or rejects where the call would not be let in any more. */
  letInAgain(): MaybePromise<void>;
};

/**
 * Holds a call whose mandate wants an approval, until that is spent for it. `send` is called where the call may go out;
 * `isOnce` says that the provider must not get it twice. Every refusal goes to `refuse`.
 */
export function passApproval(
  approvals: Approvals | undefined,
  call: GateCall,
  send: (isOnce: boolean) => void,
  refuse: (thrown: unknown) => void,
): void {
  if (approvals === undefined)
    throw new HttpError('mandate_denied', { detail: 'This gateway cannot ask for an approval.' });
  const question = makeQuestion(call);
  const guarded = (step: () => void) => {
    if (!call.isAlive()) return;
    try {
      step();
    } catch (error) {
      refuse(error);
    }
  };
  const { fields, request } = call.options;
  const spend = () => {
    const isBodyAwaited = !request.complete;
    readBody(call, (body) =>
      guarded(() => {
        if (body === undefined) throw tooLargeError();
        // A caller that leaves meanwhile spends no approval.
        const spendNow = () =>
          guarded(() => {
            const spent = approvals.spend(question, body, fields.gatewayApproval);
            spent.then(() => guarded(() => send(true)), refuse);
          });
        const letIn = isBodyAwaited ? call.letInAgain() : undefined;
        if (isPromise(letIn)) letIn.then(spendNow, refuse);
        else spendNow();
      }),
    );
  };
  const next = (isOpen: boolean) => guarded(() => (isOpen ? send(false) : spend()));
  const open = approvals.isOpen(question);
  if (isPromise(open)) open.then(next, refuse);
  else next(open);
}

/** `take` gets the whole body; undefined where it is too large. */
function readBody(call: GateCall, take: (body: Buffer | undefined) => void): void {
  const { contentLength, transferEncoding } = call.options.fields;
  if (transferEncoding === undefined && Number(contentLength ?? 0) === 0) {
    take(Buffer.alloc(0));
    return;
  }
  call.setReading(true);
  call.body.gather(APPROVED_BODY_BYTES_MAX, (body) => {
    call.setReading(false);
    take(body);
  });
}

function tooLargeError(): HttpError {
  return new HttpError('body_too_large', {
    detail: `The body of a call that needs an approval may have ${APPROVED_BODY_BYTES_MAX} bytes.`,
  });
}

function makeQuestion({ options, identified }: GateCall): ApprovalQuestion {
  const { request, target, requestId } = options;
  const { approval, connection, token } = identified;
  if (approval === undefined) throw new TypeError('a call that needs no approval waits for one');
  const { user, door, ...needed } = approval;
  const { provider, host, rawPath, rawQuery } = target;
  const method = request.method ?? 'GET';
  const fields = listShownFields(options, identified, method);
  if (fields.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-encoding')) {
    throw new HttpError('invalid_request', {
      errors: [
        {
          path: 'headers.content-encoding',
          message: 'must not be there: a person who approves the call has to be able to read it',
        },
      ],
    });
  }
  return {
    requestId,
    user,
    token,
    needed,
    connection,
    provider,
    host,
    method,
    rawPath,
    rawQuery,
    fields,
    door,
  };
}

/** The caller's own fields among those that the provider gets. */
function listShownFields({ fields }: CallOptions, identified: Identified, method: string): string[] {
  const { connection, credential, carrier, token } = identified;
  const placed = callCredential(connection.placement, credential, carrier);
  const credentialName = placed?.in === 'header' ? placed.name.toLowerCase() : undefined;
  const sent = outgoingFields(fields, {
    ...{ host: '', credential: undefined, apiHeaders: [], token, method },
  });
  const shown: string[] = [];
  for (let index = 0; index + 1 < sent.length; index += 2) {
    const name = sent[index] ?? '';
    const lower = name.toLowerCase();
    if (lower !== credentialName && !OF_THE_MESSAGE.has(lower)) shown.push(name, sent[index + 1] ?? '');
  }
  return shown;
}
