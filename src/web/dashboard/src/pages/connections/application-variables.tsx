import { TextInput } from '@mantine/core';
import { ApiError } from '../../api/problem.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';

const PREFIX = 'body.variables.';

type Asked = { readonly name: string; readonly words: string };

/** What the application would have said of the connection, as a refusal names it; none where it is about something else. */
export function variablesAskedBy(error: unknown): readonly Asked[] {
  if (!(error instanceof ApiError) || error.problem.code !== 'application_variables_missing') return [];
  return (error.problem.errors ?? []).map(({ path, message }) => ({
    name: path.replace(PREFIX, ''),
    words: message,
  }));
}

type Props = {
  readonly asked: readonly Asked[];
  readonly onSubmit: (variables: Record<string, string>) => void;
};

/** Asks the operator for what an application says by API key: for whom a key of the integration acts. */
export function ApplicationVariables({ asked, onSubmit }: Props) {
  const { applicationVariables: texts } = useTexts().connections;
  const form = useForm({
    initialValues: Object.fromEntries<string>(asked.map(({ name }) => [name, ''])),
  });
  return (
    <FormBody
      save={{ isPending: false, problem: undefined }}
      onSubmit={form.onSubmit((values) => onSubmit({ ...values }))}
      submit={texts.submit}
    >
      <p>{texts.lead}</p>
      {asked.map(({ name, words }) => (
        <TextInput
          key={name}
          label={name}
          description={words}
          required
          spellCheck={false}
          {...form.getInputProps(name)}
          value={form.values[name] ?? ''}
        />
      ))}
    </FormBody>
  );
}
