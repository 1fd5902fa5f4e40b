import type { Logger } from '../platform/logger.ts';

export type DeliveryLog = Pick<Logger, 'info' | 'warn'>;

type Result = { readonly code: number; readonly error?: Error };

/** Called with what became of each request to the collector. */
export type NoteDelivery = (result: Result) => void;

const SUCCESS = 0;

/** One line when a collector begins to take nothing, and one when it does again: none for each request in between. */
export function createDeliveryNotes(log: DeliveryLog): (signal: string) => NoteDelivery {
  return (signal) => {
    let isFailing = false;
    return ({ code, error }) => {
      if ((code !== SUCCESS) === isFailing) return;
      isFailing = !isFailing;
      if (isFailing)
        log.warn({ signal, code: nameFailure(error) }, 'telemetry cannot be sent: it is lost for now');
      else log.info({ signal }, 'telemetry is taken again');
    };
  };
}

/** Node's code or the status: messages and answers may repeat what was sent, the key of the account included. */
function nameFailure(error: Error | undefined): string | number | undefined {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}
