import { type RefObject, useEffect, useRef } from 'react';

/**
 * For a list of links to sections that is one line, wider than the screen, at phone width: scrolls to the current one,
 * which `data-section` names.
 */
export function useCurrentInView(current: string): RefObject<HTMLElement | null> {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = list.current?.querySelector(`[data-section="${current}"]`);
    link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return list;
}
