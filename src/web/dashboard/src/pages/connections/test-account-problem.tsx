import { Suspense } from 'react';
import { loadScript } from '../../api/load-script.ts';
import type { ConnectTarget } from '../../app/connect-popup.ts';
import type { useConnectTestAccount } from '../../app/test-account.ts';
import { withTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { variablesAskedBy } from './variables-asked.ts';

const loadTexts = withTexts('connections');
const VariablesDialog = lazyPart(async () => {
  const loading = loadScript(() => import('./application-variables-dialog.tsx'));
  const [script] = await Promise.all([loading, loadTexts()]);
  return script;
}, 'ApplicationVariablesDialog');

type TestAccountProblemProps = {
  readonly connect: ReturnType<typeof useConnectTestAccount>;
  /** Connects once more, by a click. */
  readonly onStart: (target: ConnectTarget) => void;
};

/** Why no account was connected; where the operator has to say what an application would, a dialog asks for it. */
export function TestAccountProblem({ connect, onStart }: TestAccountProblemProps) {
  const { error, variables: target } = connect;
  const asked = variablesAskedBy(error);
  if (asked.length === 0 || target === undefined) return <ProblemNotice error={error} />;
  return (
    <Suspense>
      <VariablesDialog
        asked={asked}
        onSubmit={(variables) => onStart({ ...target, variables })}
        onClose={connect.reset}
      />
    </Suspense>
  );
}
