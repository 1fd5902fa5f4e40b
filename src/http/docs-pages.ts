import { REFERENCE_SCRIPT } from './docs-script.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, publicCode } from './error-codes.ts';
import { html, raw, type SafeHtml } from './html.ts';

/** The reference: Swagger UI reads the document from our own origin; nothing is sent to a validator elsewhere. */
export function referencePage(nonce: string, place: ReferencePlace): SafeHtml {
  const { root, documents, docs } = place;
  return html`<header class="masthead">
<div><h1>API reference</h1><p class="lead">Every operation of the management API, ready to try.</p>${documents.note}</div>
<nav aria-label="Documentation">${documents.link}
<a class="button" href="${docs}errors">Errors</a>
<a class="button" href="${root}openapi.json">OpenAPI document</a></nav>
</header>
<div id="reference" data-root="${root}"><p class="lead">Loading…</p></div>
<noscript><p class="error" role="alert">This page needs JavaScript. The OpenAPI document works without.</p></noscript>
<script nonce="${nonce}" src="${docs}assets/swagger-ui-bundle.js"></script>
<script nonce="${nonce}">${raw(REFERENCE_SCRIPT)}</script>`;
}

/** Where the page stands: its addresses are relative, so that they hold behind any path prefix. */
type ReferencePlace = {
  /** Leads to the gateway's root. */
  readonly root: string;
  /** Leads to what is below `/docs/`. */
  readonly docs: string;
  readonly documents: { readonly link: SafeHtml | string; readonly note: SafeHtml | string };
};

export const AT_TRY: ReferencePlace = {
  root: '../',
  docs: '',
  documents: { link: html`<a class="button" href="../docs">Documents</a>`, note: '' },
};

/** The same at `/docs`, where the documents are not built. */
export function referenceInPlaceOfDocuments(command: string): ReferencePlace {
  const note = html`<p>Guides and a page for each provider are a site that is not built here. In the gateway’s folder, run <code>${command}</code>.</p>`;
  return { root: '', docs: 'docs/', documents: { link: '', note } };
}

/** Every error code with an anchor of its name, in the order of the table. */
export function errorsPage(): SafeHtml {
  return html`<header class="masthead">
<div><h1>Errors</h1>
<p class="lead">Every answer that the gateway itself refuses with is a problem document
(<code>application/problem+json</code>, RFC 9457). Its <code>code</code> never changes meaning and is repeated in the
<code>Gateway-Error</code> header; a provider's own answer never carries that header.</p></div>
<nav aria-label="Documentation"><a class="button" href="../docs">Documents</a>
<a class="button" href="try">API reference</a></nav>
</header>
<nav class="index" aria-label="Error codes"><ul>
${ERROR_CODES.map((code) => html`<li><a href="#${code}">${publicCode(code)}</a></li>`)}
</ul></nav>
${ERROR_CODES.map(errorArticle)}`;
}

function errorArticle(code: ErrorCode): SafeHtml {
  const { status, title, meaning, remedy, retryable } = ERRORS[code];
  return html`<article class="entry" id="${code}">
<p class="tags"><a href="#${code}"><code>${publicCode(code)}</code></a> <span class="tag">${status}</span>
${retryable && html`<span class="tag good">worth a retry</span>`}</p>
<h2>${title}</h2>
<p>${withCode(meaning)}</p>
<p class="remedy"><strong>What to do</strong> ${withCode(remedy)}</p>
</article>`;
}

/** Words between back-ticks as code. */
function withCode(text: string): SafeHtml[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

export const DOCS_STYLE = `
.masthead { display: flex; flex-wrap: wrap; gap: 1rem 2rem; justify-content: space-between; margin-bottom: 1.5rem; }
.masthead > div { flex: 1 1 24rem; max-width: 42rem; }
.masthead nav { display: flex; flex-wrap: wrap; gap: 0.625rem; align-items: start; }
.masthead h1 { font-size: 2rem; }
.masthead .lead { margin: 0; }
.index ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0 0 2rem; padding: 0; }
.index a { font: 0.8125rem/1.8 ui-monospace, Menlo, Consolas, monospace; color: var(--soft); text-decoration: none; }
.index a:hover { color: var(--accent); text-decoration: underline; }
.entry { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem 1.5rem; margin: 0 0 0.875rem; }
.entry:target { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.entry p { max-width: 46rem; margin-bottom: 0.375rem; }
.entry .tags { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-bottom: 0.5rem; }
.entry .tags a { text-decoration: none; }
.remedy strong { font-weight: 600; color: var(--soft); margin-right: 0.375rem; }
.tag { font-size: 0.8125rem; font-weight: 600; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: 0 0.625rem; }
.tag.good { color: var(--good); }
#reference .swagger-ui .info, #reference .swagger-ui .scheme-container { margin: 0 0 1rem; padding: 0; }
#reference .swagger-ui .scheme-container { background: none; box-shadow: none; }
#reference .swagger-ui .wrapper { padding: 0; max-width: none; }
#reference .swagger-ui, #reference .swagger-ui .opblock-tag, #reference .swagger-ui .info .title { font-family: inherit; }
html.dark-mode #reference .swagger-ui { background: none; }
#reference .swagger-ui .opblock-tag { margin: 0; padding: 0.5rem 0; }
#reference .swagger-ui .opblock-tag-section .operation-tag-content { max-width: none; }
#reference .swagger-ui :not(code, pre, pre *, .opblock-summary-path, .opblock-summary-path *, .prop-type, .prop-format, .parameter__type) { font-family: inherit; }
#reference .swagger-ui .info :is(.main, .info__license) { display: none; }
#reference .swagger-ui code { background: none; padding: 0; }
#reference .swagger-ui .response[data-code^="4"] :is(.model-example, .response-controls),
#reference .swagger-ui .response[data-code^="5"] :is(.model-example, .response-controls),
#reference .swagger-ui .response-col_links { display: none; }
#reference .swagger-ui .responses-inner, #reference .swagger-ui .table-container { overflow-x: auto; }
#reference .swagger-ui .markdown p { overflow-wrap: anywhere; }
#reference .swagger-ui input, #reference .swagger-ui select { min-height: 0; }
#reference .swagger-ui .btn.authorize { color: var(--good); border-color: currentColor; }
#reference .swagger-ui .btn.authorize svg { fill: currentColor; }
#reference .swagger-ui .btn.cancel, #reference .swagger-ui .response-col_status i { color: var(--bad); border-color: currentColor; }
#reference .swagger-ui .btn.execute { background: #1a68a6; border-color: #1a68a6; color: #ffffff; }
#reference .swagger-ui .download-contents { background: #4b5563; color: #ffffff; }
#reference .swagger-ui :is(.parameter__in, .header-col) { color: var(--soft); }
#reference .swagger-ui .response-control-media-type__accept-message,
#reference .swagger-ui .response-control-media-type__accept-message code { color: var(--good); }
html:not(.dark-mode) #reference .swagger-ui .opblock-summary-method { background: #4b5563; color: #ffffff; text-shadow: none; }
html:not(.dark-mode) #reference .swagger-ui .opblock-get .opblock-summary-method { background: #1a68a6; }
html:not(.dark-mode) #reference .swagger-ui .opblock-post .opblock-summary-method { background: #13733a; }
html:not(.dark-mode) #reference .swagger-ui .opblock-patch .opblock-summary-method { background: #0f6b62; }
html:not(.dark-mode) #reference .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
`;
