import { useQuery } from '@tanstack/react-query';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Attention } from './attention.tsx';
import { DayNumbers } from './day-numbers.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthLine } from './health-line.tsx';
import { findProgress, homeQueries } from './home-data.ts';
import { LatestActivity } from './latest-activity.tsx';

/** A project's Home: what needs a person, the way to the first call, the day's calls and the latest changes. */
export function HomePage() {
  const { home } = useTexts();
  const projectId = useProjectId();
  const queries = homeQueries(projectId);
  const integrations = useQuery(queries.integrations);
  const overview = useQuery(queries.overview);
  const all = [integrations, overview];
  if (!integrations.data || !overview.data)
    return (
      <>
        <PageHead title={home.title} />
        {all.some(({ isError }) => isError) ? <QueryProblem queries={all} /> : <Bars rows={8} height={28} />}
      </>
    );
  const progress = findProgress(integrations.data, overview.data);
  const matters = (
    <Attention
      projectId={projectId}
      integrations={integrations.data.integrations}
      overview={overview.data}
      // In the first days there is nothing to say while nothing is wrong.
      isSilent={!progress.isDone}
    />
  );
  return (
    <>
      <PageHead
        title={home.title}
        lead={
          progress.isDone ? (
            <HealthLine projectId={projectId} integrations={progress.integrations} />
          ) : (
            home.firstLead
          )
        }
      />
      {progress.hasIntegration && matters}
      {!progress.isDone && <FirstSteps projectId={projectId} progress={progress} />}
      {progress.hasCall && <DayNumbers projectId={projectId} />}
      {(progress.hasIntegration || progress.isDone) && <LatestActivity projectId={projectId} />}
    </>
  );
}
