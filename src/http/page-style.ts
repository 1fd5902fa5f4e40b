/**
 * The style sheet of server-rendered pages, sent inline under the page's nonce. System fonts only, so that nothing
 * is loaded from elsewhere. Text contrast is at least 4.5:1 in both schemes (WCAG 2.2, 1.4.3).
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --surface: #ffffff; --ink: #171a21; --soft: #565d6d; --line: #dcdfe6; --field: #8a91a1;
  --accent: #3b49df; --accent-ink: #ffffff; --accent-soft: #eceefd; --bad: #b3261e; --bad-soft: #fdecea;
  --good: #13733a; --code: #f0f1f5; --shadow: 0 1px 2px rgb(20 24 40 / 6%), 0 12px 32px rgb(20 24 40 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1116; --surface: #181b22; --ink: #eceef3; --soft: #a6adbb; --line: #2b303b; --field: #6d7585;
    --accent: #8f9aff; --accent-ink: #10121a; --accent-soft: #232845; --bad: #ff9d94; --bad-soft: #3a1f1d;
    --good: #6fd695; --code: #20242d; --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 35%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
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
  background: var(--code); border-radius: 5px; padding: 0.1em 0.35em;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

body.card { min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1.25rem; }
body.card main {
  width: 100%; max-width: 27rem; background: var(--surface); border: 1px solid var(--line);
  border-radius: 16px; box-shadow: var(--shadow); padding: 2rem;
}
body.wide main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.5rem 5rem; }
@media (max-width: 30rem) {
  body.card { place-items: start center; padding: 0; background: var(--surface); }
  body.card main { border: 0; border-radius: 0; box-shadow: none; padding: 2rem 1.25rem; }
  body.wide main { padding: 1.75rem 1rem 3rem; }
}

.lead { color: var(--soft); margin-bottom: 1.5rem; }
.error { color: var(--bad); font-size: 0.875rem; }
p.error[role="alert"]:not(.field p) {
  background: var(--bad-soft); border-radius: 10px; padding: 0.75rem 1rem; font-size: 0.9375rem;
}
.field { margin: 0 0 1.125rem; }
.field p { margin: 0.375rem 0 0; }
label { display: block; font-weight: 600; font-size: 0.9375rem; margin-bottom: 0.375rem; }
input, select, textarea {
  width: 100%; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--field); border-radius: 10px; padding: 0.625rem 0.75rem; min-height: 2.75rem;
}
input[aria-invalid="true"] { border-color: var(--bad); }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-height: 2.75rem;
  font: inherit; font-weight: 600; color: var(--ink); background: var(--surface); text-decoration: none;
  border: 1px solid var(--line); border-radius: 10px; padding: 0.625rem 1.125rem; cursor: pointer;
  transition: background 120ms, border-color 120ms;
}
button:hover, .button:hover { border-color: var(--accent); }
button.primary, .button.primary { width: 100%; color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
button.primary:hover { background: color-mix(in srgb, var(--accent) 88%, var(--ink)); }
button:disabled { opacity: 0.6; cursor: default; }
.choices { display: grid; gap: 0.625rem; }
.choice { justify-content: flex-start; text-align: left; width: 100%; gap: 0.875rem; padding: 0.75rem 0.875rem; }
.choice:hover { background: var(--accent-soft); }
.choice strong, .choice small { display: block; line-height: 1.35; }
.choice small { font-weight: 400; text-transform: capitalize; }
.monogram {
  flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 10px;
  background: var(--accent-soft); color: var(--accent); font-weight: 700; text-transform: uppercase;
}
.outcome { text-align: center; }
.outcome .lead { margin-bottom: 0; }
`;
