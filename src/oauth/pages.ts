import type { Provider, ProviderVariable } from '../catalog/provider.schema.ts';
import { html, jsonScript, type SafeHtml } from '../http/html.ts';
import { TEXTS } from './texts.ts';

/** One input of the hosted form. */
export type FormField = Readonly<{
  name: string;
  label: string;
  hint: string | undefined;
  isSecret: boolean;
  value: string;
  options: readonly { value: string; title: string }[] | undefined;
  error: string | undefined;
}>;

/** What the closing page hands to the page that opened it. `origin` null: to nobody. */
export type ClosingMessage = Readonly<{
  type: 'integration-gateway:connect';
  sessionId: string;
  status: 'success' | 'error';
  completionCode?: string;
  error?: string;
}>;

const CREDENTIAL_FIELDS = {
  'api-key': [['apiKey', TEXTS.apiKey, true]],
  basic: [
    ['username', TEXTS.username, false],
    ['password', TEXTS.password, true],
  ],
} as const;

/** The inputs that this authorization still needs: variables nobody has set yet, then the credentials. */
export function fieldsFor(
  provider: Provider,
  known: Readonly<Record<string, string>>,
  entered: Readonly<Record<string, string>> = {},
  errors: Readonly<Record<string, string>> = {},
): FormField[] {
  const ofVariables = provider.variables
    .filter((variable) => variable.from === 'user' && !Object.hasOwn(known, variable.name))
    .map((variable) => variableField(variable, entered[variable.name], errors[variable.name]));
  const kind = provider.auth === 'api-key' || provider.auth === 'basic' ? provider.auth : undefined;
  const ofCredentials = (kind === undefined ? [] : CREDENTIAL_FIELDS[kind]).map(
    ([name, label, isSecret], index) => ({
      name,
      label,
      isSecret,
      hint: index === 0 ? provider.credentialHint : undefined,
      // A secret is typed again after a mistake: it never comes back in a page.
      value: isSecret ? '' : (entered[name] ?? ''),
      options: undefined,
      error: errors[name],
    }),
  );
  return [...ofVariables, ...ofCredentials];
}

function variableField(
  variable: ProviderVariable,
  entered: string | undefined,
  error: string | undefined,
): FormField {
  const example = variable.example === undefined ? undefined : TEXTS.example(variable.example);
  return {
    name: variable.name,
    label: variable.title ?? variable.name,
    hint: [variable.description, example].filter((part) => part !== undefined).join(' ') || undefined,
    isSecret: variable.secret,
    value: variable.secret ? '' : (entered ?? variable.default ?? ''),
    options: variable.options,
    error,
  };
}

export function formPage(
  provider: Provider,
  fields: readonly FormField[],
  action: string,
  refusal?: string,
): SafeHtml {
  const isOAuth = provider.auth === 'oauth2';
  return html`<h1>${TEXTS.formTitle(provider.name)}</h1>
<p class="lead">${leadOf(provider)}</p>
${refusal === undefined ? '' : html`<p class="error" role="alert">${refusal}</p>`}
<form method="post" action="${action}" autocomplete="off">
${fields.map(fieldHtml)}
<button type="submit" class="primary">${isOAuth ? TEXTS.continue : TEXTS.connect}</button>
</form>`;
}

function leadOf({ auth, name }: Provider): string {
  if (auth === 'oauth2') return TEXTS.formLeadOAuth(name);
  return auth === 'oauth2-client-credentials' ? TEXTS.formLeadClient(name) : TEXTS.formLeadKey(name);
}

function fieldHtml(field: FormField): SafeHtml {
  const { name } = field;
  const described = [field.hint && `${name}-hint`, field.error && `${name}-error`].filter(Boolean).join(' ');
  const control =
    field.options === undefined
      ? html`<input id="${name}" name="${name}" type="${field.isSecret ? 'password' : 'text'}" value="${field.value}"
 required spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="${described}"
 aria-invalid="${field.error ? 'true' : 'false'}">`
      : html`<select id="${name}" name="${name}" required aria-describedby="${described}">
${field.options.map(({ value, title }) =>
  value === field.value
    ? html`<option value="${value}" selected>${title}</option>`
    : html`<option value="${value}">${title}</option>`,
)}
</select>`;
  return html`<div class="field">
<label for="${name}">${field.label}</label>
${control}
${field.hint ? html`<p class="hint" id="${name}-hint">${field.hint}</p>` : ''}
${field.error ? html`<p class="error" id="${name}-error" role="alert">${field.error}</p>` : ''}
</div>`;
}

export function choosePage(
  choices: readonly { integrationId: string; name: string; category: string }[],
  action: string,
): SafeHtml {
  if (choices.length === 0)
    return html`<h1>${TEXTS.chooseTitle}</h1><p class="lead">${TEXTS.chooseEmpty}</p>`;
  return html`<h1>${TEXTS.chooseTitle}</h1>
<p class="lead">${TEXTS.chooseLead}</p>
<form method="post" action="${action}" class="choices">
${choices.map(
  ({ integrationId, name, category }) =>
    html`<button type="submit" name="integrationId" value="${integrationId}" class="choice">
<span class="monogram" aria-hidden="true">${name.slice(0, 1)}</span><span><strong>${name}</strong>
<small>${category.length <= 3 ? category.toUpperCase() : category.replaceAll('-', ' ')}</small></span></button>`,
)}
</form>`;
}

/**
 * The page that ends every authorization in a popup. Its script hands the message to the opener, at the session's
 * exact origin and nowhere else, and closes the window. Where there is no opener, or the opener does not close the
 * window upon the message, it goes on to `returnTo`; without that the words are for the person.
 */
export function closingPage(
  heading: string,
  words: string,
  handOver: { message: ClosingMessage; origin: string | null; returnTo?: string } | undefined,
  nonce: string,
): SafeHtml {
  return html`<div class="outcome" role="status">
<h1>${heading}</h1>
<p class="lead">${words}</p>
</div>
${handOver === undefined ? '' : html`${jsonScript('outcome', handOver)}<script nonce="${nonce}">${CLOSING_SCRIPT}</script>`}`;
}

const CLOSING_SCRIPT = html`
const { message, origin, returnTo } = JSON.parse(document.getElementById('outcome').textContent);
const goOn = () => returnTo === undefined ? window.close() : location.replace(returnTo);
if (origin !== null && window.opener !== null) {
  window.opener.postMessage(message, origin);
  setTimeout(goOn, returnTo === undefined ? 300 : 1500);
} else if (returnTo !== undefined) {
  goOn();
}`;
