import type { ProxyLog } from './contract.ts';

/** The log as calls may use it from events and rejections: a fault of its own (a full disk) ends neither call nor process. */
export function safeLog(log: ProxyLog): ProxyLog {
  const safely =
    (level: keyof ProxyLog) =>
    (fields: object, message: string): void => {
      try {
        log[level](fields, message);
      } catch {
        // There is no other place to report it.
      }
    };
  return { info: safely('info'), warn: safely('warn'), error: safely('error') };
}
