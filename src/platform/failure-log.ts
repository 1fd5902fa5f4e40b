/** How often work that keeps failing is logged. */
const FAILURE_LOG_MS = 60_000;

/** One line for a failure, and one a minute for a row of them; `field` names what failed. */
export function createFailureLog(
  log: { warn(fields: object, message: string): void },
  field: string,
  message: string,
) {
  const rows = new Map<string, { failures: number; saidAt: number }>();
  return {
    /** It succeeded: the next failure is logged at once. */
    forget: (name: string) => void rows.delete(name),
    complain(name: string, error: unknown): void {
      const row = rows.get(name) ?? { failures: 0, saidAt: Number.NEGATIVE_INFINITY };
      row.failures += 1;
      rows.set(name, row);
      if (performance.now() - row.saidAt < FAILURE_LOG_MS) return;
      row.saidAt = performance.now();
      log.warn({ err: error, [field]: name, failures: row.failures }, message);
    },
  };
}

export type FailureLog = ReturnType<typeof createFailureLog>;
