import { createHash } from 'node:crypto';
import { html, raw } from '../../http/html.ts';
import { once } from '../../lib/once.ts';
import { CARD_SCRIPT } from './connect-card.script.ts';

/** The extension by which clients show cards of servers (MCP Apps). */
export const CARDS_EXTENSION = 'io.modelcontextprotocol/ui';
export const CARD_TYPE = 'text/html;profile=mcp-app';
export const CONNECT_CARD_URI = 'ui://integration-gateway/connect';

/** The host's colours where it gives some, else the gateway's own. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ink: var(--color-text-primary, light-dark(#171a21, #eceef3));
  --soft: var(--color-text-secondary, light-dark(#565d6d, #a6adbb));
  --ground: var(--color-background-primary, light-dark(#ffffff, #181b22));
  --field: var(--color-border-primary, light-dark(#7d8494, #737b8c));
  --bad: var(--color-text-danger, light-dark(#b3261e, #ff9d94));
  --good: var(--color-text-success, light-dark(#13733a, #6fd695));
  --brand: light-dark(#3b49df, #8f9aff);
  --brand-ink: light-dark(#ffffff, #10121a);
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; padding: 1.25rem; background: var(--ground); color: var(--ink); overflow-wrap: break-word;
  font: 0.9375rem/1.5 var(--font-sans, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif);
}
h1 { font-size: 1.0625rem; line-height: 1.35; margin: 0 0 0.25rem; }
p { margin: 0 0 0.75rem; }
#lead, #warning { color: var(--soft); }
#warning { font-size: 0.8125rem; margin: 0.5rem 0 0; }
label { display: block; font-weight: 600; font-size: 0.875rem; margin: 1rem 0 0.25rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; }
input {
  flex: 1 1 12rem; min-width: 0; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--field); border-radius: var(--border-radius-md, 8px);
}
button {
  padding: 0.5rem 1rem; min-height: 2.5rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--brand-ink); background: var(--brand); border: 0; border-radius: var(--border-radius-md, 8px);
}
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
#refused { color: var(--bad); margin: 0.5rem 0 0; }
#done { color: var(--good); font-weight: 600; margin: 0; }
#nothing { margin: 0; }
#blocked { margin: 0.75rem 0 0.25rem; }
#address { font: 0.8125rem/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
`;

/**
 * The card that asks for a connection: the same bytes for everybody. What it shows comes from the tool's result, as text. Its
 * policy allows its own script and style, and no request to anywhere.
 */
export const readConnectCard = once((): string => {
  const policy = `default-src 'none'; script-src '${hash(CARD_SCRIPT)}'; style-src '${hash(STYLE)}'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Integration Gateway</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<section id="ask" aria-labelledby="title" hidden>
<h1 id="title"></h1>
<p id="lead"></p>
<button type="button" id="connect"></button>
<p id="blocked" role="status" hidden></p>
<p id="address" hidden></p>
<div id="finish" hidden>
<label id="label" for="code"></label>
<div class="row"><input id="code" autocomplete="off" spellcheck="false" maxlength="200"><button type="button" id="send"></button></div>
<p id="refused" role="alert" hidden></p>
<p id="warning"></p>
</div>
</section>
<p id="done" role="status" hidden></p>
<p id="nothing" hidden></p>
<script>${raw(CARD_SCRIPT)}</script>
</body>
</html>`.toString();
});

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const FACTS = { uri: CONNECT_CARD_URI, name: 'connect', title: 'Connect an account', mimeType: CARD_TYPE };

/** What `resources/list` answers. */
export function listCards() {
  return [{ ...FACTS, description: 'The card that the tool connect shows, in clients that show cards.' }];
}

/** What `resources/read` answers; undefined for any other address. */
export function readCard(uri: string) {
  if (uri !== CONNECT_CARD_URI) return undefined;
  const none: string[] = [];
  const csp = { connectDomains: none, resourceDomains: none, frameDomains: none, baseUriDomains: none };
  const { mimeType } = FACTS;
  return [{ uri, mimeType, text: readConnectCard(), _meta: { ui: { csp, prefersBorder: true } } }];
}
