import type { ContactChange } from './contact-change.ts';
import { type Html, html } from './html.ts';
import type { Hub } from './hubs.ts';
import type { DemoCrmClient } from './oauth-store.ts';
import { renderPage } from './pages.ts';
import type { WebhookApp } from './webhook-apps.ts';
import type { WebhookAttempt } from './webhook-sender.ts';

type AccountView = {
  readonly hub: Hub;
  readonly latest: readonly ContactChange[];
  readonly hasTimer: boolean;
};

export type DeskView = {
  readonly publicUrl: string;
  readonly accounts: readonly AccountView[];
  readonly clients: readonly { readonly client: DemoCrmClient; readonly app: WebhookApp }[];
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
};

const ATTEMPTS_SHOWN = 5;

/** The CRM's front page: its accounts with buttons that change contacts, and what it sends to apps. */
export function renderDeskPage({ publicUrl, accounts, clients, attempts }: DeskView): string {
  const content = html`
    <h1>Demo CRM is running</h1>
    <p class="lead">A customer database to try integrations against: OAuth 2.0, a contacts API and webhooks in HubSpot's shape.</p>
    <div class="accounts">${accounts.map(renderAccount)}</div>
    ${clients.map(({ client, app }) => renderApp(client, app, attempts))}
    <details>
      <summary>Addresses of the API</summary>
      <dl>
        <dt>Authorization</dt><dd><code>${publicUrl}/oauth/authorize</code></dd>
        <dt>Token</dt><dd><code>${publicUrl}/oauth/token</code></dd>
        <dt>Contacts</dt><dd><code>${publicUrl}/crm/v3/objects/contacts</code></dd>
        <dt>Search</dt><dd><code>${publicUrl}/crm/v3/objects/contacts/search</code></dd>
        <dt>Webhook settings</dt><dd><code>${publicUrl}/webhooks/v3/{client id}/settings</code></dd>
      </dl>
    </details>`;
  return renderPage('Accounts', content, 'wide');
}

function renderAccount({ hub, latest, hasTimer }: AccountView): Html {
  const button = (action: string, text: string, look = 'secondary') =>
    html`<button class="${look}" formaction="/desk/accounts/${hub.id}/${action}">${text}</button>`;
  return html`
    <section class="panel" aria-labelledby="hub-${hub.id}">
      <h2 id="hub-${hub.id}">${hub.name} <span class="quiet">hub ${hub.id}</span></h2>
      <form class="buttons" method="post">
        ${button('change', 'Change a contact', 'primary')}
        ${button('create', 'Create one')}
        ${button('archive', 'Archive one')}
        ${button('timer', hasTimer ? 'Stop changing' : 'Change one every 3 s')}
      </form>
      ${
        latest.length === 0
          ? html`<p class="quiet">Nothing has changed since the start.</p>`
          : html`<ul class="log">${latest.map(renderChange)}</ul>`
      }
    </section>`;
}

function renderChange({ kind, contact, at, changed }: ContactChange): Html {
  const name = [contact.properties.firstname, contact.properties.lastname].filter(Boolean).join(' ');
  const what = { creation: 'created', deletion: 'archived', propertyChange: describeChange(changed) }[kind];
  return html`<li class="entry"><time>${clockOf(at)}</time> <span><strong>${name}</strong> ${what}</span></li>`;
}

function describeChange(changed: ContactChange['changed']): string {
  return Object.entries(changed)
    .map(([property, value]) => `${property}: ${value === '' ? 'none' : value}`)
    .join(', ');
}

function renderApp(client: DemoCrmClient, app: WebhookApp, attempts: readonly WebhookAttempt[]): Html {
  const own = attempts.filter(({ clientId }) => clientId === client.clientId).slice(0, ATTEMPTS_SHOWN);
  const path = `/desk/apps/${encodeURIComponent(client.clientId)}`;
  const types = [
    ...new Set(app.subscriptions.filter(({ active }) => active).map(({ eventType }) => eventType)),
  ];
  return html`
    <section class="panel" aria-labelledby="app-${app.appId}">
      <h2 id="app-${app.appId}">Webhooks of ${client.name ?? client.clientId} ${renderState(app)}</h2>
      <form class="target" method="post" action="${path}/target">
        <label for="target-${app.appId}">Target URL</label>
        <input id="target-${app.appId}" name="targetUrl" type="url" value="${app.targetUrl ?? ''}"
          placeholder="https://gateway.example.com/webhooks/…" autocomplete="off" spellcheck="false">
        <div class="buttons">
          <button class="primary" type="submit">Save</button>
          ${
            app.targetUrl === undefined
              ? html``
              : html`<button class="secondary" formaction="${path}/pause">${app.isPaused ? 'Turn on' : 'Turn off'}</button>`
          }
        </div>
      </form>
      ${types.length === 0 ? html`` : html`<p class="quiet">Subscribed to ${types.map((type, index) => html`${index === 0 ? '' : ', '}<code>${type}</code>`)}</p>`}
      ${own.length === 0 ? html`` : html`<ul class="log">${own.map(renderAttempt)}</ul>`}
    </section>`;
}

function renderState({ targetUrl, isPaused }: WebhookApp): Html {
  if (targetUrl === undefined) return html`<em>no target URL</em>`;
  return isPaused ? html`<em>off</em>` : html`<em class="good">on</em>`;
}

function renderAttempt({ at, portalId, events, attemptNumber, status }: WebhookAttempt): Html {
  const isGood = status >= 200 && status < 300;
  const outcome = status === 0 ? 'no answer' : `answered ${status}`;
  const count = events === 1 ? '1 event' : `${events} events`;
  const again = attemptNumber === 0 ? '' : `, try ${attemptNumber + 1}`;
  return html`<li class="entry"><time>${clockOf(at)}</time>
    <span>${count} of hub ${portalId}${again} <em class="${isGood ? 'good' : 'bad'}">${outcome}</em></span></li>`;
}

function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}
