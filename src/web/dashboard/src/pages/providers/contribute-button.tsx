import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';

const ContributeDialog = lazyPart(() => import('./contribute-dialog.tsx'), 'ContributeDialog');

type ContributeButtonProps = {
  readonly projectId: string;
  readonly description: Readonly<Record<string, unknown>>;
};

/** The way of a provider of one's own into the catalog of all, below a dry run that has no faults. */
export function ContributeButton(props: ContributeButtonProps) {
  const { contribute: texts } = useTexts().integrations.customProviders;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <p className="soft small">{texts.lead}</p>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {texts.title}
      </Button>
      {isOpen && <ContributeDialog {...props} onClose={() => setIsOpen(false)} />}
    </div>
  );
}
