import './theme/styles.ts';
import { createRoot } from 'react-dom/client';
import { loadStyles } from './api/load-script.ts';
import { watchNetwork } from './api/reachability.ts';
import { App } from './app/app.tsx';
import { installTrustedTypes } from './app/trusted-types.ts';
import { preferredLanguage, speak } from './texts/texts.tsx';

async function start(): Promise<void> {
  installTrustedTypes();
  watchNetwork();
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element for the dashboard');
  const language = preferredLanguage();
  const [texts] = await Promise.all([speak(language), loadStyles()]);
  createRoot(root).render(<App firstLanguage={language} firstTexts={texts} />);
}

void start();
