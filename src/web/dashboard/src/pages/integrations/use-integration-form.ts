import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { FIELDS_BY_MEMBER, type FormValues, readParameters } from './form-values.ts';

/** The form of an integration, a new one or one that there is. */
export function useIntegrationForm(initialValues: FormValues) {
  const { setUp: texts } = useTexts().integrations;
  return useForm<FormValues>({
    initialValues,
    rules: {
      parameters: (lines) => (readParameters(lines) === undefined ? texts.parametersFault : undefined),
    },
    fields: FIELDS_BY_MEMBER,
  });
}
