/** The backgrounds of text, for code that derives readable colours. */
export const SURFACES = {
  light: { ground: '#f4f5f8', surface: '#ffffff' },
  dark: { ground: '#0f1116', surface: '#181b22' },
} as const;

/**
 * The style sheet of server-rendered pages, sent inline under the page's nonce. System fonts only, so that nothing
 * is loaded from elsewhere. Text contrast is at least 4.5:1 in both schemes (WCAG 2.2, 1.4.3), that of fields and
 * focus rings at least 3:1 (1.4.11, 2.4.13). `--brand` fills, `--accent` is its shade that can be read as text.
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: ${SURFACES.light.ground}; --surface: ${SURFACES.light.surface}; --ink: #171a21; --soft: #565d6d;
  --line: #dcdfe6; --field: #7d8494; --brand: #3b49df; --brand-ink: #ffffff; --brand-hover: #2f3bc0;
  --accent: #3b49df; --accent-soft: #eceefd; --bad: #b3261e; --bad-soft: #fdecea; --good: #13733a;
  --good-soft: #e4f5ea; --code: #f0f1f5;
  --shadow: 0 1px 2px rgb(20 24 40 / 6%), 0 12px 32px rgb(20 24 40 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: ${SURFACES.dark.ground}; --surface: ${SURFACES.dark.surface}; --ink: #eceef3; --soft: #a6adbb;
    --line: #2b303b; --field: #737b8c; --brand: #8f9aff; --brand-ink: #10121a; --brand-hover: #a5aeff;
    --accent: #8f9aff; --accent-soft: #232845; --bad: #ff9d94; --bad-soft: #3a1f1d; --good: #6fd695;
    --good-soft: #17321f; --code: #20242d;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 35%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding: 1.5rem 0 5rem; }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
body {
  margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.015em; margin: 0 0 0.5rem; text-wrap: balance; }
h2 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 0.375rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
small, .hint { font-size: 0.875rem; color: var(--soft); }
code {
  font: 0.9em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  background: var(--code); border-radius: 5px; padding: 0.1em 0.35em; overflow-wrap: anywhere;
}
[hidden] { display: none !important; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}

body.card { min-height: 100vh; min-height: 100dvh; display: grid; align-items: center; justify-items: center; padding: 1.25rem; }
body.card .panel {
  width: 100%; min-width: 0; max-width: 28rem; background: var(--surface); border: 1px solid var(--line);
  border-radius: 16px; box-shadow: var(--shadow);
}
body.card main { padding: 2rem; }
body.wide main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.5rem 5rem; }
.banner {
  display: flex; align-items: center; gap: 0.75rem; padding: 1rem 2rem; border-bottom: 1px solid var(--line);
  font-weight: 600; font-size: 0.9375rem;
}
.banner img { display: block; flex: none; max-width: 9rem; max-height: 2rem; object-fit: contain; }
.banner span { min-width: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  body.card { align-items: start; padding: 0; background: var(--surface); }
  body.card .panel { border: 0; border-radius: 0; box-shadow: none; }
  body.card main { padding: 1.75rem 1.25rem 2.5rem; }
  .banner { padding: 1rem 1.25rem; }
  body.wide main { padding: 1.75rem 1rem 3rem; }
}

.lead { color: var(--soft); margin-bottom: 1.5rem; }
.error { color: var(--bad); font-size: 0.875rem; }
p.error[role="alert"]:not(.field p) {
  background: var(--bad-soft); border-radius: 10px; padding: 0.75rem 1rem; margin-bottom: 1.25rem; font-size: 0.9375rem;
}
.field { margin: 0 0 1.125rem; }
.field p { margin: 0.375rem 0 0; }
label { display: block; font-weight: 600; font-size: 0.9375rem; margin-bottom: 0.375rem; }
input, select, textarea {
  width: 100%; min-width: 0; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--field); border-radius: 10px; padding: 0.625rem 0.75rem; min-height: 2.75rem;
}
/* What is to be copied is seen as a whole. */
input[readonly] { font-family: ui-monospace, monospace; font-size: 0.8125rem; letter-spacing: -0.02em; }
::placeholder { color: var(--soft); opacity: 1; }
[aria-invalid="true"] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.affixed { display: flex; align-items: center; gap: 0.5rem; flex-wrap: wrap; }
.affixed input { flex: 1 1 9rem; width: auto; }
.affix { color: var(--soft); overflow-wrap: anywhere; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-height: 2.75rem;
  font: inherit; font-weight: 600; color: var(--ink); background: var(--surface); text-decoration: none;
  border: 1px solid var(--field); border-radius: 10px; padding: 0.625rem 1.125rem; cursor: pointer;
  transition: background 120ms, border-color 120ms;
}
button:hover, .button:hover { border-color: var(--accent); }
button.primary, .button.primary { width: 100%; color: var(--brand-ink); background: var(--brand); border-color: var(--accent); }
button.primary:hover, .button.primary:hover { background: var(--brand-hover); }
button:disabled { opacity: 0.6; cursor: default; }

.subject { display: flex; align-items: center; gap: 0.875rem; margin-bottom: 0.5rem; }
.subject h1 { margin: 0; min-width: 0; }
.search { display: flex; gap: 0.5rem; margin: 0 0 0.5rem; }
.search input { flex: 1; }
/* The list grows and shrinks: its top stays where it is. */
body.card:has(.search) { align-items: start; }
.matches { font-size: 0.875rem; color: var(--soft); margin: 0 0 1rem; }
.choices ul { list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; margin: 0; padding: 0; }
.choices section + section { margin-top: 1.5rem; }
.choices h2 { font-size: 0.875rem; color: var(--soft); margin: 0 0 0.5rem; }
.choice {
  justify-content: flex-start; text-align: start; width: 100%; gap: 0.875rem; padding: 0.625rem 0.75rem;
  border-color: var(--line);
}
.choice:hover { background: var(--accent-soft); }
.choice > span:last-child { min-width: 0; overflow-wrap: anywhere; }
.choice strong, .choice small { display: block; line-height: 1.35; font-weight: 600; }
.choice small { font-weight: 400; }
.logo { flex: none; display: block; width: 2.5rem; height: 2.5rem; }
.more { font-size: 0.875rem; margin: 1rem 0 0; }
.leave { margin: 1rem 0 0; text-align: center; }
/* Cancelling stays in sight of a long list. */
.choices .leave { position: sticky; bottom: 0; padding: 0.5rem 0; background: var(--surface); border-top: 1px solid var(--line); }
button.quiet { border-color: transparent; background: transparent; color: var(--soft); width: 100%; }
button.quiet:hover { color: var(--ink); border-color: var(--line); }
.ways { display: grid; gap: 0.75rem; justify-items: center; margin-top: 1.25rem; }
.ways form { width: 100%; }

.outcome { text-align: center; }
.outcome .lead { margin-bottom: 0.75rem; }
.mark { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin: 0 auto 1rem; border-radius: 50%; }
.mark svg { width: 2rem; height: 2rem; fill: none; stroke: currentcolor; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round; }
.mark.good { background: var(--good-soft); color: var(--good); }
.mark.bad { background: var(--bad-soft); color: var(--bad); }
.advice { text-align: start; background: var(--code); border-radius: 10px; padding: 0.875rem 1rem; margin: 1.25rem 0 0; }
.advice h2 { font-size: 0.9375rem; margin: 0 0 0.25rem; }
.advice p { margin: 0; }
.technical { margin-top: 1.25rem; font-size: 0.875rem; text-align: start; color: var(--soft); }
.technical summary { cursor: pointer; width: fit-content; border-radius: 5px; }
.technical dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.25rem 0.75rem; margin: 0.5rem 0 0; }
.technical dt { font-weight: 600; }
.technical dd { margin: 0; overflow-wrap: anywhere; }
`;
