import { Suspense, useEffect } from 'react';
import { lazyPart } from '../ui/lazy-part.ts';
import type { PaletteActions } from './palette-places.ts';
import { useTypedAhead } from './typed-ahead.ts';

const Palette = lazyPart(() => import('./palette.tsx'), 'Palette');
/** After what the page itself loads. */
const PRELOAD_AFTER_MS = 3_000;

type PaletteHostProps = PaletteActions & { readonly isOpen: boolean; readonly onClose: () => void };

/** The search field, once it is opened, with what was typed while its script was loaded. */
export function PaletteHost({ isOpen, ...rest }: PaletteHostProps) {
  const [words, setWords] = useTypedAhead(isOpen);
  useEffect(() => {
    const timer = setTimeout(() => void Palette.preload?.(), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{isOpen && <Palette {...rest} words={words} onWords={setWords} />}</Suspense>;
}
