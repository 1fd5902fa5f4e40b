import { z } from 'zod';

/** At most so many files of a run can have failed by what ran beside them; more say that something is broken. */
const DISTURBED_FILES_MAX = 4;

const REPORT = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** What jest writes with `--json`: each file by its path, with its tests. */
export type JestReport = z.infer<typeof REPORT>;

export type Counts = { readonly passed: number; readonly failed: number };

export const parseReport = (text: string): JestReport => REPORT.parse(JSON.parse(text));

/** Tests that passed and failed. A file that could not even be loaded counts as one failure. */
export function countTests({ testResults }: JestReport): Counts {
  const counts = { passed: 0, failed: 0 };
  for (const { status, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    counts.passed += assertionResults.filter((test) => test.status === 'passed').length;
    counts.failed += status === 'failed' ? Math.max(1, failed) : failed;
  }
  return counts;
}

/** Paths of the files that deserve a second run by themselves, where only a few failed. Empty otherwise. */
export function listDisturbedFiles({ testResults }: JestReport): string[] {
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= DISTURBED_FILES_MAX ? failed : [];
}

/** The first run, with the files of the second one in the place of their first results. */
export function replaceResults(first: JestReport, second: JestReport): JestReport {
  const repeated = new Set(second.testResults.map(({ name }) => name));
  const kept = first.testResults.filter(({ name }) => !repeated.has(name));
  return { testResults: [...kept, ...second.testResults] };
}
