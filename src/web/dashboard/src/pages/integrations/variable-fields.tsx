import { PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import type { Form } from '../../ui/form.ts';
import { type FormValues, integrationVariables, userVariables } from './form-values.ts';
import styles from './integrations.module.css';

type VariableFieldsProps = {
  readonly provider: Provider;
  readonly form: Form<FormValues>;
  /** Secret values that there are stay when their field is left empty. */
  readonly keepsSecrets?: boolean;
};

/** A field for everything that the provider's addresses need of the operator. */
export function VariableFields({ provider, ...rest }: VariableFieldsProps) {
  return integrationVariables(provider).map((variable) => (
    <VariableField
      key={variable.name}
      variable={variable}
      isRequired={variable.default === null && !variable.optional}
      {...rest}
    />
  ));
}

/** What each user is asked for, unless the operator says it for all of them. Nothing where nothing is asked. */
export function SharedVariableFields({ provider, form, keepsSecrets }: VariableFieldsProps) {
  const { setUp: texts } = useTexts().integrations;
  // A field that is emptied must not close what it stands in.
  const [isOpened, setOpened] = useState(false);
  const variables = userVariables(provider);
  if (variables.length === 0) return null;
  const isFilled = variables.some(({ name }) => form.values.variables[name]);
  return (
    <details
      className={styles.advanced}
      open={isOpened || isFilled}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary>{texts.shared}</summary>
      <div className={styles.form}>
        <p className="soft small">{texts.sharedHint}</p>
        {variables.map((variable) => (
          <VariableField
            key={variable.name}
            variable={variable}
            isRequired={false}
            form={form}
            keepsSecrets={keepsSecrets ?? false}
          />
        ))}
      </div>
    </details>
  );
}

type VariableFieldProps = Omit<VariableFieldsProps, 'provider'> & {
  readonly variable: Provider['variables'][number];
  readonly isRequired: boolean;
};

function VariableField({ variable, isRequired, form, keepsSecrets = false }: VariableFieldProps) {
  const { setUp, detail } = useTexts().integrations;
  const { name, title, description, example, options, secret } = variable;
  const isKept = secret && keepsSecrets;
  const set = (value: string) => form.setField('variables', { ...form.values.variables, [name]: value });
  const common = {
    label: title ?? name,
    description: isKept ? detail.secretVariableHint : description,
    placeholder: example ?? undefined,
    required: isRequired && !isKept,
    value: form.values.variables[name] ?? '',
    error: form.getError(`variables.${name}`),
  };
  if (options !== null) {
    const data = options.map((option) => ({ value: option.value, label: option.title }));
    return (
      <Select
        {...common}
        data={data}
        allowDeselect={!isRequired}
        clearable={!isRequired}
        onChange={(value) => set(value ?? '')}
      />
    );
  }
  const shared = {
    ...common,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(event.currentTarget.value),
  };
  // A field of one line takes the line breaks out of what is pasted.
  if (variable.input !== null) {
    return <Textarea {...shared} autosize minRows={4} maxRows={10} spellCheck={false} autoComplete="off" />;
  }
  if (!secret) return <TextInput {...shared} spellCheck={false} />;
  const toggle = { 'aria-label': setUp.showSecret };
  return <PasswordInput {...shared} autoComplete="off" visibilityToggleButtonProps={toggle} />;
}
