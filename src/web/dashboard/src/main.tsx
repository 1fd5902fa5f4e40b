import './theme/styles.ts';
import { createRoot } from 'react-dom/client';
import { loadStyles } from './api/load-script.ts';
import { watchNetwork } from './api/reachability.ts';
import { App } from './app/app.tsx';
import { loadFirstPage, makeParts } from './app/parts.ts';
import { installTrustedTypes } from './app/trusted-types.ts';
import { speak, speakPreferred } from './texts/texts.tsx';

/** How long the frame waits for its page: to draw the two one after the other takes half as long again. */
const PAGE_WAIT_MS = 300;

async function start(): Promise<void> {
  installTrustedTypes();
  watchNetwork();
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element for the dashboard');
  const styles = loadStyles();
  const language = speakPreferred();
  const parts = makeParts();
  const firstPage = loadFirstPage(parts);
  const [texts] = await Promise.all([speak(language), styles]);
  await Promise.race([firstPage, new Promise((resolve) => setTimeout(resolve, PAGE_WAIT_MS))]);
  createRoot(root).render(<App parts={parts} firstLanguage={language} firstTexts={texts} />);
}

void start();
