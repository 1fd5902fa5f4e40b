import { PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type FormValues, integrationVariables } from './form-values.ts';

type VariableFieldsProps = {
  readonly provider: Provider;
  readonly form: UseFormReturnType<FormValues>;
  /** Secret values that there are stay when their field is left empty. */
  readonly keepsSecrets?: boolean;
};

/** A field for everything that the provider's addresses need of the operator. */
export function VariableFields({ provider, form, keepsSecrets = false }: VariableFieldsProps) {
  const { setUp, detail } = useTexts().integrations;
  return integrationVariables(provider).map((variable) => {
    const { name, title, description, example, options, secret } = variable;
    const shared = {
      label: title ?? name,
      description: secret && keepsSecrets ? detail.secretVariableHint : description,
      placeholder: example ?? undefined,
      required: variable.default === null && !variable.optional && !(secret && keepsSecrets),
      ...form.getInputProps(`variables.${name}`),
    };
    if (options !== null) {
      const data = options.map((option) => ({ value: option.value, label: option.title }));
      return <Select key={name} {...shared} data={data} allowDeselect={variable.default === null} />;
    }
    // A field of one line takes the line breaks out of what is pasted.
    if (variable.input !== null) {
      return (
        <Textarea
          key={name}
          {...shared}
          autosize
          minRows={4}
          maxRows={10}
          spellCheck={false}
          autoComplete="off"
        />
      );
    }
    if (!secret) return <TextInput key={name} {...shared} spellCheck={false} />;
    const toggle = { 'aria-label': setUp.showSecret };
    return <PasswordInput key={name} {...shared} autoComplete="off" visibilityToggleButtonProps={toggle} />;
  });
}
