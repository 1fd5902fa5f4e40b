/** Something that was not brought over, or not as it should be. */
export type Finding = {
  readonly kind: 'integration' | 'connection';
  /** Nango's name of it: the integration's key, `/`, the connection's id. */
  readonly name: string;
  readonly reason: string;
};

export type Counts = { found: number; created: number; existing: number; unmapped: number };

export type Report = {
  readonly dryRun: boolean;
  readonly integrations: Counts;
  readonly connections: Counts;
  /** What could not be brought over. */
  readonly unmapped: Finding[];
  /** What was, with a hitch. */
  readonly warnings: Finding[];
};

export function emptyReport(dryRun: boolean): Report {
  const none = () => ({ found: 0, created: 0, existing: 0, unmapped: 0 });
  return { dryRun, integrations: none(), connections: none(), unmapped: [], warnings: [] };
}

/** The report for a person: counts, then every finding with its reason. */
export function renderReport(report: Report): string {
  const { dryRun, integrations, connections, unmapped, warnings } = report;
  const lines = [
    countsOf('Integrations', integrations, dryRun),
    countsOf('Connections', connections, dryRun),
    ...listed('Could not be brought over:', unmapped),
    ...listed('To be looked at:', warnings),
  ];
  return lines.join('\n');
}

function countsOf(title: string, { found, created, existing, unmapped }: Counts, dryRun: boolean): string {
  const verb = dryRun ? 'would be created' : 'created';
  return `${title}: ${found} found, ${created} ${verb}, ${existing} there already, ${unmapped} not brought over`;
}

function listed(title: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return ['', title, ...findings.map(({ kind, name, reason }) => `  ${kind} ${name}: ${reason}`)];
}
