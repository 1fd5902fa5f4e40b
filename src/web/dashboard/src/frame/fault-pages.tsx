import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { findStatus } from '../api/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/link.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

/** For an address that leads nowhere, and for a thing that is no longer there. */
export function NotFoundPage() {
  const { problem } = useTexts();
  return (
    <main tabIndex={-1}>
      <EmptyState
        heading="h1"
        icon="search"
        title={problem.notFoundTitle}
        text={problem.notFoundText}
        action={<LinkButton to="/">{problem.toHome}</LinkButton>}
      />
    </main>
  );
}

/** For what a page threw: a refusal of the API in its own words, and a fault of ours as such. */
export function FaultPage({ error }: ErrorComponentProps) {
  const { problem } = useTexts();
  if (findStatus(error) === 404) return <NotFoundPage />;
  return (
    <main tabIndex={-1} style={{ maxWidth: '44rem', margin: '3rem auto', padding: '0 1rem' }}>
      <ProblemNotice error={error} />
      <Button variant="default" onClick={() => location.reload()}>
        {problem.reload}
      </Button>
    </main>
  );
}
