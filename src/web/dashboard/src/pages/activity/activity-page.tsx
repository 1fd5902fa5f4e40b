import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page.tsx';

/** The place of the page until it is built. */
export function ActivityPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.activity.title} />
      <EmptyState icon="history" title={texts.activity.title} />
    </>
  );
}
