import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { findStatus } from '../api/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/link.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import styles from './frame.module.css';

/** In the place of a page within the frame: an address that leads nowhere, and a thing that is no longer there. */
export function NotFoundNotice() {
  const { problem } = useTexts();
  return (
    <EmptyState
      heading="h1"
      icon="search"
      title={problem.notFoundTitle}
      text={problem.notFoundText}
      action={<LinkButton to="/">{problem.toHome}</LinkButton>}
    />
  );
}

/** In the place of a page within the frame, what it threw: a refusal of the API in its own words, a fault of ours as such. */
export function FaultNotice({ error }: ErrorComponentProps) {
  const { problem } = useTexts();
  if (findStatus(error) === 404) return <NotFoundNotice />;
  return (
    <div className={styles.fault}>
      <ProblemNotice error={error} />
      <Button variant="default" onClick={() => location.reload()}>
        {problem.reload}
      </Button>
    </div>
  );
}
