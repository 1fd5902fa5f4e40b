import { sendsUsersToProvider } from '../../catalog/facts/auth-kinds.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { html, raw, type SafeHtml } from '../../http/html.ts';
import type { Language, Texts } from '../texts/language.ts';
import type { Face } from './face.ts';
import type { FormField } from './form-fields.ts';
import { renderLogo } from './logo.ts';

type FormPage = {
  readonly provider: Provider;
  readonly face: Face;
  readonly fields: readonly FormField[];
  /** Where the form is sent: the session's own link. */
  readonly action: string;
  /** Why what was entered is refused as a whole. */
  readonly refusal?: string | undefined;
};

/** The form before, or instead of, the provider's own page. It takes secrets, and so runs no script at all. */
export function formPage(
  language: Language,
  { provider, face, fields, action, refusal }: FormPage,
): SafeHtml {
  const { form } = language.texts;
  const firstWrong = refusal === undefined ? fields.find(({ error }) => error) : refusedField(fields);
  const submit = sendsUsersToProvider(provider) ? form.goOn(provider.name) : form.connect;
  return html`<div class="subject">${renderLogo(face.logo)}<h1>${form.title(face.name)}</h1></div>
<p class="lead">${leadOf(language.texts, provider)}</p>
${refusal !== undefined && html`<p class="error" role="alert" id="refusal">${refusal}</p>`}
<form method="post" action="${action}" autocomplete="off">
${fields.map((field) => fieldHtml(language, field, field === firstWrong, refusal !== undefined))}
<button type="submit" class="primary">${submit}</button>
<p class="leave"><button type="submit" name="cancel" value="1" class="quiet" formnovalidate>${language.texts.cancel}</button></p>
</form>
${
  provider.docsUrl !== undefined &&
  html`<p class="more"><a href="${provider.docsUrl}" target="_blank" rel="noopener noreferrer">${form.documentation(provider.name)}</a></p>`
}`;
}

function leadOf({ form }: Texts, provider: Provider): string {
  const { auth, name } = provider;
  if (sendsUsersToProvider(provider)) return form.leadOAuth(name);
  return auth === 'oauth2-client-credentials' ? form.leadClient(name) : form.leadKey(name);
}

/** What is typed again after the whole was refused: the secret, where there is one. */
function refusedField(fields: readonly FormField[]): FormField | undefined {
  return fields.find(({ isSecret }) => isSecret) ?? fields[0];
}

function fieldHtml(
  { tag, texts }: Language,
  field: FormField,
  isFirstWrong: boolean,
  isRefused: boolean,
): SafeHtml {
  const { name, hint, error, prefix, suffix } = field;
  const parts = [
    suffix + prefix !== '' && `${name}-affix`,
    hint && `${name}-hint`,
    error && `${name}-error`,
    isFirstWrong && isRefused && 'refusal',
  ].filter(Boolean);
  const state = html`${parts.length > 0 && html` aria-describedby="${parts.join(' ')}"`}${
    error !== undefined && raw(' aria-invalid="true"')
  }${isFirstWrong && raw(' autofocus')}`;
  const control =
    field.options === undefined ? inputHtml(field, state) : selectHtml(texts, field, field.options, state);
  return html`<div class="field">
<label for="${name}">${field.label}</label>
${suffix + prefix === '' ? control : affixed(field, control)}
${hint && html`<p class="hint" id="${name}-hint"${tag !== 'en' && raw(' lang="en"')}>${hint}</p>`}
${error && html`<p class="error" id="${name}-error" role="alert">${error}</p>`}
</div>`;
}

function inputHtml(field: FormField, state: SafeHtml): SafeHtml {
  const { name, value, isSecret, isFile, isRequired, placeholder } = field;
  if (field.isShown)
    return html`<input id="${name}" type="text" value="${value}" readonly spellcheck="false"${state}>`;
  // Browsers take line breaks out of what is pasted into a field of one line.
  if (isFile) {
    return html`<textarea id="${name}" name="${name}" rows="6"${isRequired && raw(' required')} spellcheck="false" autocapitalize="off" autocomplete="off"${state}>${value}</textarea>`;
  }
  return html`<input id="${name}" name="${name}" type="${isSecret ? 'password' : 'text'}" value="${value}"
${isRequired && raw(' required')} spellcheck="false" autocapitalize="off" autocomplete="off"${
    placeholder !== undefined && html` placeholder="${placeholder}"`
  }${state}>`;
}

function selectHtml(
  { form }: Texts,
  { name, value, isRequired }: FormField,
  options: NonNullable<FormField['options']>,
  state: SafeHtml,
): SafeHtml {
  const isChosen = options.some((option) => option.value === value);
  const nothing = isRequired
    ? !isChosen && html`<option value="" selected disabled>${form.choose}</option>`
    : html`<option value=""${!isChosen && raw(' selected')}>${form.none}</option>`;
  return html`<select id="${name}" name="${name}"${isRequired && raw(' required')}${state}>
${nothing}
${options.map(
  (option) =>
    html`<option value="${option.value}"${option.value === value && raw(' selected')}>${option.title}</option>`,
)}
</select>`;
}

/** The value between what stands around it in the address, which is read out as its description. */
function affixed({ name, prefix, suffix }: FormField, control: SafeHtml): SafeHtml {
  return html`<div class="affixed">${prefix !== '' && html`<span class="affix" aria-hidden="true">${prefix}</span>`}
${control}
${suffix !== '' && html`<span class="affix" aria-hidden="true">${suffix}</span>`}
<span class="unseen" id="${name}-affix">${prefix}…${suffix}</span></div>`;
}
