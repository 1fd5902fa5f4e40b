import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { gatewayQuery } from '../../api/operators.ts';
import { useRole } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { LinkButton } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './home.module.css';
import { homeQueries, type Progress } from './home-data.ts';

const CodeStep = lazyPart(() => import('./code-step.tsx'), 'CodeStep');
const FirstCall = lazyPart(() => import('./first-call.tsx'), 'FirstCall');
const ConnectStep = lazyPart(() => import('./connect-step.tsx'), 'ConnectStep');

/** Calls are counted in the background, and the application makes its own: the steps tick themselves off. */
const LOOK_EVERY_MS = 3_000;

type Step = { readonly name: StepName; readonly isDone: boolean; readonly body: ReactNode };
type StepName = 'project' | 'integration' | 'account' | 'call' | 'code';

/** The five steps to the first call. Each ticks itself off; the first that is left is open. */
export function FirstSteps({ projectId, progress }: { projectId: string; progress: Progress }) {
  const { home } = useTexts();
  const [chosen, setChosen] = useState<StepName>();
  // Calls are counted in the background; this one has been seen to work.
  const [hasCalled, setCalled] = useState(false);
  useQuery({ ...homeQueries(projectId).overview, refetchInterval: LOOK_EVERY_MS });
  const known = { ...progress, hasCall: progress.hasCall || hasCalled };
  const steps = useSteps(projectId, known, (isAnswered) => {
    if (isAnswered) setCalled(true);
    // Its answer is what the operator wants to read.
    setChosen('call');
  });
  const next = steps.find(({ isDone }) => !isDone)?.name;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Section title={home.stepsTitle} lead={home.stepsDone({ done, all: steps.length })}>
      <ol className="bare-list">
        {steps.map((step) => {
          const isOpen = step.name === (chosen ?? next);
          return (
            <li key={step.name} className={styles.step} data-done={step.isDone || undefined}>
              <button
                type="button"
                className={styles.stepHead}
                aria-expanded={isOpen}
                onClick={() => setChosen(step.name)}
              >
                <span className={styles.mark}>
                  {step.isDone ? (
                    <Icon name="check" size={14} label={home.stepDone} />
                  ) : (
                    <span aria-hidden="true">{steps.indexOf(step) + 1}</span>
                  )}
                </span>
                {home.steps[step.name].title}
              </button>
              {isOpen && (
                <div className={styles.stepBody}>
                  <p className="soft">{home.steps[step.name].text}</p>
                  <Suspense>{step.body}</Suspense>
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function useSteps(
  projectId: string,
  progress: Progress,
  onCalled: (isAnswered: boolean) => void,
): readonly Step[] {
  const { integrations, hasIntegration, testProvider, hasCall, isDone } = progress;
  const role = useRole(projectId);
  const only = (body: ReactNode) => (role === 'viewer' ? <ViewerNote /> : role && body);
  return [
    { name: 'project', isDone: true, body: null },
    { name: 'integration', isDone: hasIntegration, body: only(<IntegrationStep projectId={projectId} />) },
    {
      name: 'account',
      isDone: testProvider !== null || hasCall,
      body: only(<ConnectStep integrations={integrations} />),
    },
    {
      name: 'call',
      isDone: hasCall,
      body: only(
        testProvider === null ? (
          <ConnectStep integrations={integrations} />
        ) : (
          <FirstCall projectId={projectId} provider={testProvider} onCalled={onCalled} />
        ),
      ),
    },
    { name: 'code', isDone, body: <CodeStep projectId={projectId} progress={progress} /> },
  ];
}

function IntegrationStep({ projectId }: { projectId: string }) {
  const { home, integrations } = useTexts();
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000 }).data;
  return (
    <div className={styles.stepActions}>
      <LinkButton to="/p/$projectId/integrations/new" params={{ projectId }}>
        {integrations.create}
      </LinkButton>
      {gateway?.demo && <p className="soft small">{home.demoElsewhere}</p>}
    </div>
  );
}

function ViewerNote() {
  const { common } = useTexts();
  return <p className={styles.stepActions}>{common.viewerNote}</p>;
}
