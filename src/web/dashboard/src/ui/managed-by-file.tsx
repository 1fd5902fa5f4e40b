import { useQuery } from '@tanstack/react-query';
import { configurationQuery } from '../api/configuration.ts';
import { useProjectId } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { TextLink } from './link.tsx';
import { Notice } from './notice.tsx';
import { QueryProblem } from './query-problem.tsx';

/** Says of an object that a file manages it, and whether it was changed by hand since. Nothing of any other. */
export function ManagedByFile({ objectId }: { readonly objectId: string }) {
  const { common } = useTexts();
  const projectId = useProjectId();
  const configuration = useQuery(configurationQuery(projectId));
  // Who did not learn of the file would change by hand what the next apply takes back.
  if (configuration.isError) return <QueryProblem queries={[configuration]} />;
  const found = configuration.data?.objects.find((object) => object.objectId === objectId);
  if (found === undefined) return null;
  const isDrifted = found.state !== 'in_sync';
  return (
    <div className="block">
      <Notice tone={isDrifted ? 'warning' : 'info'} title={common.managedTitle(found.name)}>
        {isDrifted
          ? common.managedDrift(found.fields.map(({ path }) => path).join(', '))
          : common.managedText}{' '}
        <TextLink to="/p/$projectId/settings/$section" params={{ projectId, section: 'configuration' }}>
          {common.managedLink}
        </TextLink>
      </Notice>
    </div>
  );
}
