import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { gatewayQuery } from '../../api/operators.ts';
import { useConnectTestAccount } from '../../app/test-account.ts';
import { useTexts } from '../../texts/texts.tsx';
import { TestAccountProblem } from '../connections/test-account-problem.tsx';
import styles from './home.module.css';
import type { ListedIntegration } from './home-data.ts';
import { IntegrationChoice } from './integration-choice.tsx';

const DEMO_PROVIDER = 'demo-crm';

/** Connects an account of the operator's own, through one of the project's integrations. */
export function ConnectStep({ integrations }: { integrations: readonly ListedIntegration[] }) {
  const { home } = useTexts();
  const isDemo = useQuery({ ...gatewayQuery, staleTime: 60_000 }).data?.demo === true;
  const first = integrations.find(({ serviceProvider }) => isDemo && serviceProvider === DEMO_PROVIDER);
  const [chosenId, setChosenId] = useState<string>();
  const connect = useConnectTestAccount();
  const chosen = integrations.find(({ id }) => id === chosenId) ?? first ?? integrations[0];
  if (chosen === undefined) return null;
  return (
    <>
      <div className={styles.stepActions}>
        <IntegrationChoice integrations={integrations} chosen={chosen} onChoose={setChosenId} />
        <Button loading={connect.isPending} onClick={() => connect.mutate({ integrationId: chosen.id })}>
          {home.connectAccount}
        </Button>
      </div>
      {chosen.serviceProvider === DEMO_PROVIDER && <p className="soft small">{home.demoSignIn}</p>}
      <TestAccountProblem connect={connect} onStart={connect.mutate} />
    </>
  );
}
