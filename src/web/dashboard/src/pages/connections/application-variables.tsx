import { TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import type { Asked } from './variables-asked.ts';

type Props = {
  readonly asked: readonly Asked[];
  readonly onSubmit: (variables: Record<string, string>) => void;
  /** Left out where the dialog around it has more than this to close. */
  readonly onClose?: () => void;
};

/** Asks the operator for what an application says by API key: for whom a key of the integration acts. */
export function ApplicationVariables({ asked, onSubmit, onClose }: Props) {
  const { applicationVariables: texts } = useTexts().connections;
  const form = useForm({
    initialValues: Object.fromEntries<string>(asked.map(({ name }) => [name, ''])),
  });
  return (
    <FormBody
      save={{ isPending: false, problem: undefined }}
      onSubmit={form.onSubmit((values) => onSubmit({ ...values }))}
      submit={texts.submit}
      {...(onClose && { onCancel: onClose })}
    >
      <p>{texts.lead}</p>
      {asked.map(({ name, words }, index) => (
        <TextInput
          key={name}
          label={name}
          description={words}
          required
          data-autofocus={index === 0 || undefined}
          spellCheck={false}
          {...form.getInputProps(name)}
          value={form.values[name] ?? ''}
        />
      ))}
    </FormBody>
  );
}
