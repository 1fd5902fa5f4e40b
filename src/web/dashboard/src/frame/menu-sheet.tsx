import '@mantine/core/styles/Drawer.layer.css';
import { Drawer } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';
import { Navigation } from './navigation.tsx';

/** The navigation at phone width. */
export function MenuSheet({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { frame } = useTexts();
  return (
    <Drawer opened onClose={onClose} title={frame.product} size="18rem">
      <Navigation onHelp={onHelp} />
    </Drawer>
  );
}
