import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useOptionalProjectId } from '../app/project.ts';
import { isTyping } from '../ui/list/cursor-keys.ts';
import { PROJECT_PAGES } from './pages-of-project.ts';

const SECOND_KEY_MS = 1_200;
/** Events count their time from when the document began to load: with 0, a key pressed right away would follow a `g`. */
const NEVER_MS = Number.NEGATIVE_INFINITY;

/** `/` and Ctrl-K or Cmd-K search, `?` shows the shortcuts, `g` and a page's letter go there. */
export function useShortcuts({
  openPalette,
  openHelp,
}: {
  openPalette: () => void;
  openHelp: () => void;
}): void {
  const projectId = useOptionalProjectId();
  const navigate = useNavigate();
  useEffect(() => {
    let pressedGAtMs = NEVER_MS;
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return openPalette();
      }
      if (isCommand || event.altKey || isTyping(event.target)) return;
      const page = PROJECT_PAGES.find(({ key }) => key === event.key);
      const isSecond = event.timeStamp - pressedGAtMs < SECOND_KEY_MS;
      pressedGAtMs = event.key === 'g' ? event.timeStamp : NEVER_MS;
      if (event.key === '/') {
        event.preventDefault();
        openPalette();
      } else if (event.key === '?') openHelp();
      else if (isSecond && page && projectId) void navigate({ to: page.to, params: { projectId } });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [openPalette, openHelp, projectId, navigate]);
}
