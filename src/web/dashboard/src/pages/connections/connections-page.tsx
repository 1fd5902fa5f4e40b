import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page.tsx';

/** The place of the page until it is built. */
export function ConnectionsPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.connections.title} />
      <EmptyState icon="connections" title={texts.connections.title} />
    </>
  );
}
