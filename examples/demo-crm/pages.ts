import { type Html, html } from './html.ts';
import { CRM_USERS, type CrmUser, DEMO_PASSWORD } from './hubs.ts';
import { SCOPE_DESCRIPTIONS } from './scopes.ts';

/** Sign-in page of one authorization. `failure` is shown above the form after a wrong password. */
export function renderSignInPage(view: {
  uid: string;
  appName: string;
  email: string;
  failure: string;
}): string {
  const { uid, appName, email, failure } = view;
  return renderPage(
    'Sign in',
    html`
      <h1>Sign in to Demo CRM</h1>
      <p class="lead">to connect <strong>${appName}</strong></p>
      ${failure === '' ? html`` : html`<p class="failure" role="alert">${failure}</p>`}
      <form method="post" action="/oauth/interaction/${uid}/sign-in">
        <label for="email">E-mail</label>
        <input id="email" name="email" type="email" autocomplete="username" list="people" value="${email}" required autofocus>
        <datalist id="people">${CRM_USERS.map((user) => html`<option value="${user.email}"></option>`)}</datalist>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required>
        <div class="actions"><button class="primary" id="sign-in" type="submit">Sign in</button></div>
      </form>
      <aside class="hint">
        <p>This is a demonstration. The password is <code>${DEMO_PASSWORD}</code> for each of these people:</p>
        <ul>${CRM_USERS.map((user) => html`<li><code>${user.email}</code> <span>${user.hub.name}</span></li>`)}</ul>
      </aside>`,
  );
}

/** Consent page of one authorization: what the app asks for, with the optional scopes to tick. */
export function renderConsentPage(view: {
  uid: string;
  appName: string;
  user: CrmUser;
  required: readonly string[];
  optional: readonly string[];
}): string {
  const { uid, appName, user, required, optional } = view;
  return renderPage(
    'Connect app',
    html`
      <h1>Connect ${appName}</h1>
      <p class="lead">to <strong>${user.hub.name}</strong> <span class="quiet">${user.hub.domain} · hub ${user.hub.id}</span></p>
      <form method="post" action="/oauth/interaction/${uid}/allow">
        <p class="asks">${appName} asks to:</p>
        <ul class="scopes">
          ${required.map((scope) => html`<li><span class="tick" aria-hidden="true">✓</span> ${describeScope(scope)}</li>`)}
          ${optional.map(
            (scope) => html`<li><label><input type="checkbox" name="optional" value="${scope}" checked>
              ${describeScope(scope, html`<em>optional</em>`)}</label></li>`,
          )}
        </ul>
        <div class="actions">
          <button class="secondary" id="deny" type="submit" formaction="/oauth/interaction/${uid}/deny">Deny</button>
          <button class="primary" id="allow" type="submit">Allow</button>
        </div>
      </form>
      <form class="switch" method="post" action="/oauth/interaction/${uid}/sign-out">
        Signed in as <strong>${user.email}</strong>.
        <button class="link" id="switch-user" type="submit">Log in as somebody else</button>
      </form>`,
  );
}

/** What a browser sees where an authorization cannot go on and cannot be sent back to the app either. */
export function renderErrorPage(code: string, detail: string): string {
  return renderPage(
    'Cannot connect',
    html`<h1>This cannot be connected</h1><p class="lead">${detail}</p><p class="quiet"><code>${code}</code></p>`,
  );
}

function describeScope(scope: string, mark: Html = html``): Html {
  return html`${SCOPE_DESCRIPTIONS[scope] ?? scope} ${mark} <code>${scope}</code>`;
}

/** A whole page. `width` is `wide` where the content is more than one form. */
export function renderPage(title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title} · Demo CRM</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/assets/style.css">
</head>
<body>
  <main class="${width}">
    <p class="brand"><span class="logo" aria-hidden="true"></span>Demo CRM</p>
    ${content}
  </main>
</body>
</html>`.markup;
}
