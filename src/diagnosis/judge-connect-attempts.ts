import type { SignInCounts, SignInFailure } from './connect-attempts.store.ts';
import { chooseFindingCode, type FailureContext, findingOfFailure } from './connect-failure-findings.ts';
import { createFinding, type Finding } from './finding.ts';

/** With fewer, one person who closed a window would be a finding. */
const NOT_RETURNED_MIN = 3;
const ABANDONED_MIN = 3;

/**
 * Findings of how sign-ins went. A failure counts until a sign-in has succeeded since, or the integration has been
 * changed. Pure.
 */
export function judgeSignIns(
  counts: SignInCounts,
  failures: readonly SignInFailure[],
  integration: { readonly updatedAt: Date },
  context: FailureContext,
): Finding[] {
  const mendedAtMs = Math.max(integration.updatedAt.getTime(), counts.lastCompletedAt?.getTime() ?? 0);
  const standing = failures.filter(({ at }) => at.getTime() >= mendedAtMs);
  const byCode = Map.groupBy(standing, (failure) => chooseFindingCode(failure));
  const findings = [...byCode.values()].flatMap((alike) => {
    const [newest] = alike;
    if (newest === undefined) return [];
    return [findingOfFailure({ ...newest, at: newest.at.toISOString() }, context, alike.length)];
  });
  return [...findings, ...judgeCounts(counts, context)];
}

function judgeCounts(counts: SignInCounts, { provider }: FailureContext): Finding[] {
  const findings: Finding[] = [];
  if (counts.notReturned >= NOT_RETURNED_MIN && counts.cameBack === 0) {
    const count = String(counts.notReturned);
    findings.push(createFinding('sign_ins_not_returning', { provider, count }));
  }
  if (counts.abandoned >= ABANDONED_MIN && counts.abandoned > counts.completed) {
    findings.push(createFinding('sign_ins_abandoned', { provider, count: String(counts.abandoned) }));
  }
  return findings;
}
