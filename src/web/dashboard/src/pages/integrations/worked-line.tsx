import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Time } from '../../ui/time.tsx';
import { newestConnectionsQuery } from './connections-section.tsx';
import styles from './integrations.module.css';

type WorkedLineProps = {
  readonly projectId: string;
  readonly provider: string;
  readonly integrationId: string;
  /** Of the provider. */
  readonly name: string;
};

/** Whether anything has worked at the provider yet, and the counts as a file that can be contributed to the catalog. */
export function WorkedLine({ projectId, provider, name, integrationId }: WorkedLineProps) {
  const { detail: texts } = useTexts().integrations;
  const path = { projectId };
  const { data } = useQuery(
    apiQuery('/projects/{projectId}/provider-evidence', { path, query: { provider } }),
  );
  const newest = useQuery(newestConnectionsQuery(projectId, integrationId)).data?.connections;
  const hasConnections = newest && newest.length > 0;
  if (data === undefined) return null;
  const lastAt = data.data
    .map((row) => row.lastAt)
    .sort()
    .at(-1);
  // Counts are written in the background: what has just been connected is not contradicted.
  if (lastAt === undefined && hasConnections !== false) return null;
  if (lastAt === undefined) return <p className={`small soft ${styles.worked}`}>{texts.neverWorked(name)}</p>;
  const file = `data:application/json,${encodeURIComponent(JSON.stringify(data.data, null, 2))}`;
  return (
    <p className={`small soft ${styles.worked}`}>
      {texts.providerWorked(name)} <Time at={lastAt} />.{' '}
      <a href={file} download={`${provider}-evidence.json`}>
        {texts.downloadEvidence}
      </a>
    </p>
  );
}
