import { html, raw, type SafeHtml } from '../http/html.ts';
import { PASSWORD_LENGTH_MIN } from './password.ts';

/** The form of the first set-up. The token stands in the URL's fragment, which browsers never send. */
export function setupForm(nonce: string): SafeHtml {
  return html`<section id="ask">
<h1>Set up the gateway</h1>
<p class="lead">You become its first operator and the owner of a first project.</p>
<noscript><p class="error" role="alert">This page needs JavaScript. POST /v1/setup does the same.</p></noscript>
<p class="error" id="fault" role="alert" hidden></p>
<form id="form" method="post" autocomplete="on">
<div class="field"><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" required autofocus></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password"
 minlength="${PASSWORD_LENGTH_MIN}" aria-describedby="password-hint" required>
<p class="hint" id="password-hint">At least ${PASSWORD_LENGTH_MIN} characters.</p></div>
<div class="field"><label for="project">Project name</label>
<input id="project" name="projectName" value="My project" maxlength="100" required></div>
<button class="primary" id="submit" disabled>Set up</button>
</form>
</section>
<section id="done" hidden>
<h1 id="done-title" tabindex="-1">The gateway is set up</h1>
<p class="lead">Copy these now: they are not shown again.</p>
${shownOnce('personal-access-token', 'Personal access token', 'Yours, for the management API.')}
${shownOnce('api-key', 'API key of the project', 'For your backend. Keep it out of browsers.')}
${shownOnce('project-id', 'Project id', 'Part of the proxy’s addresses and the audience of user tokens.')}
<p><a class="button" href="docs">API reference</a></p>
</section>
<script nonce="${nonce}">${raw(SCRIPT)}</script>`;
}

function shownOnce(id: string, label: string, hint: string): SafeHtml {
  return html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" readonly spellcheck="false" autocomplete="off" aria-describedby="${id}-hint">
<p class="hint" id="${id}-hint">${hint}</p>
<p><button type="button" data-copy="${id}" aria-label="Copy: ${label}">Copy</button></p></div>`;
}

export function alreadySetUpPage(): SafeHtml {
  return html`<div class="outcome"><h1>Already set up</h1>
<p class="lead">The first operator exists. Ask them for access to a project.</p>
<p>Where the credentials are lost: <code>npm run operator -- token &lt;email&gt;</code> on the server prints new ones.</p>
<p><a class="button" href="docs">API reference</a></p></div>`;
}

const SCRIPT = `
const fragment = location.hash.slice(1);
let token = fragment;
try { token = decodeURIComponent(fragment); } catch { /* a token with a bare percent sign */ }
// Out of the address bar, so that it is in no screenshot and no history.
history.replaceState(null, '', location.pathname);
// The whole link, pasted into the tab that lacked the token, is no new page to the browser.
addEventListener('hashchange', () => element('ask') && location.reload());
const element = (id) => document.getElementById(id);
const fault = element('fault'), submit = element('submit');
function refuse(text) { fault.textContent = text; fault.hidden = false; }
if (token) submit.disabled = false;
else refuse('The address lacks the set-up token. Open the whole link that the gateway printed when it started.');

function explain(problem) {
  const faults = (problem.errors || []).map((one) => one.path.replace(/^body\\./, '') + ': ' + one.message);
  return [problem.detail, ...faults, problem.remedy].filter(Boolean).join(' ');
}

function show(made) {
  element('personal-access-token').value = made.personalAccessToken.token;
  element('api-key').value = made.apiKey.key;
  element('project-id').value = made.project.id;
  element('ask').remove();
  element('done').hidden = false;
  element('done-title').focus();
}

element('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  fault.hidden = true;
  submit.disabled = true;
  try {
    const fields = Object.fromEntries(new FormData(event.target));
    const response = await fetch('v1/setup', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, ...fields }),
    });
    const reply = await response.json();
    if (response.ok) return show(reply);
    refuse(explain(reply));
  } catch {
    refuse('The gateway could not be reached. Try again.');
  }
  submit.disabled = false;
});

document.addEventListener('click', async (event) => {
  const id = event.target.dataset.copy;
  if (!id) return;
  const field = element(id);
  field.select();
  // Browsers have no clipboard on plain http: then the text is selected, ready to be copied by hand.
  try { await navigator.clipboard.writeText(field.value); event.target.textContent = 'Copied'; }
  catch { event.target.textContent = 'Selected: copy it by hand'; }
});
`;
