import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page.tsx';

/** The place of the page until it is built. */
export function MePage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.me.title} />
      <EmptyState icon="shield" title={texts.me.title} />
    </>
  );
}
