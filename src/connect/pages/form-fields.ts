import { credentialFields } from '../../catalog/facts/asked-fields.ts';
import type { Provider, ProviderVariable } from '../../catalog/schema/provider.schema.ts';
import type { Texts } from '../texts/language.ts';
import { type FieldFault, isAsked, type KnownValues } from './asked-variables.ts';
import { findAffixes } from './host-affixes.ts';

/** One input of the hosted form. */
export type FormField = Readonly<{
  name: string;
  label: string;
  /** In the words of the provider's file, which are English. */
  hint: string | undefined;
  placeholder: string | undefined;
  isSecret: boolean;
  /** The text of a file, of many lines. */
  isFile: boolean;
  isRequired: boolean;
  value: string;
  options: readonly { value: string; title: string }[] | undefined;
  /** What stands around the value in an address. */
  prefix: string;
  suffix: string;
  error: string | undefined;
  /** A value of the gateway's, to be copied: it is not sent. */
  isShown: boolean;
}>;

export type Entries = Readonly<{
  entered?: Readonly<Record<string, string>> | undefined;
  faults?: Readonly<Record<string, FieldFault>> | undefined;
}>;

/** The inputs that this authorization still needs: variables that are not set yet, then the credentials. */
export function fieldsFor(
  texts: Texts,
  provider: Provider,
  given: KnownValues & { readonly identity?: string | undefined },
  { entered = {}, faults = {} }: Entries = {},
): FormField[] {
  const faultOf = (name: string, label: string) => faultText(texts, faults[name], label);
  const ofVariables = provider.variables
    .filter((variable) => variable.from === 'external-id' || isAsked(variable, { provider, ...given }))
    .map((variable) => {
      const isShown = variable.from === 'external-id';
      const { [variable.name]: value } = isShown ? given.known : entered;
      const field = { ...variableField(texts, provider, variable, value), isShown };
      return { ...field, error: faultOf(field.name, field.label) };
    });
  const ofCredentials = credentialFields(provider).map(({ name, isRequired, isKey }, index) => {
    const label = texts.form[isKey ? 'apiKey' : name];
    const isSecret = isKey || name === 'password';
    return {
      name,
      label,
      isSecret,
      isFile: false,
      isRequired,
      hint: index === 0 ? provider.credentialHint : undefined,
      placeholder: undefined,
      // A secret is typed again after a mistake: it never comes back in a page.
      value: isSecret ? '' : (entered[name] ?? ''),
      options: undefined,
      prefix: '',
      suffix: '',
      isShown: false,
      error: faultOf(name, label),
    };
  });
  return [...identityField(provider, given.identity), ...ofVariables, ...ofCredentials];
}

/** Whom the user's account has to let in, to be copied into it. */
function identityField({ login }: Provider, value: string | undefined): FormField[] {
  if (login?.identity === undefined || value === undefined) return [];
  const { title, description } = login.identity;
  return [
    {
      ...{ name: 'clientIdentity', label: title, hint: description, value, isShown: true },
      ...{ isSecret: false, isFile: false, isRequired: false, placeholder: undefined, options: undefined },
      ...{ prefix: '', suffix: '', error: undefined },
    },
  ];
}

function variableField(
  texts: Texts,
  provider: Provider,
  variable: ProviderVariable,
  entered: string | undefined,
): Omit<FormField, 'error' | 'isShown'> {
  const { name, secret, options, example } = variable;
  return {
    name,
    label: variable.title ?? toTitle(name),
    hint: variable.description,
    placeholder: example === undefined ? undefined : texts.form.example(example),
    isSecret: secret,
    isFile: variable.input !== undefined,
    isRequired: variable.optional !== true,
    value: secret ? '' : (entered ?? variable.default ?? ''),
    options,
    ...(options === undefined ? findAffixes(provider, variable) : { prefix: '', suffix: '' }),
  };
}

/** `apiDomain` as words, for a variable that its provider file gives no title. */
function toTitle(name: string): string {
  const words = name
    .replace(/[._]/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function faultText(texts: Texts, fault: FieldFault | undefined, label: string): string | undefined {
  switch (fault) {
    case undefined:
      return undefined;
    case 'required':
      return texts.form.required;
    case 'unusable':
      return texts.form.unusable;
    case 'invalid':
      return texts.form.invalid(label);
    case 'certificate_not_in_force':
      return texts.form.certificateNotInForce;
    case 'other_key':
      return texts.form.otherKey;
    case 'passphrase_missing':
      return texts.form.passphraseMissing;
    case 'passphrase_wrong':
      return texts.form.passphraseWrong;
  }
}
