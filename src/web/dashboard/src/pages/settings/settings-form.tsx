import type { useForm } from '../../ui/form.ts';
import { FormBody, type FormBodyProps } from '../../ui/form-body.tsx';
import styles from './settings.module.css';

type SettingsFormProps<Values extends object> = Pick<FormBodyProps, 'submit' | 'hint' | 'children'> & {
  readonly form: Pick<ReturnType<typeof useForm<Values>>, 'onSubmit' | 'isDirty'>;
  readonly save: FormBodyProps['save'] & { readonly mutate: (values: Values) => void };
};

/** A part of the settings that is saved by itself, once something in it is changed. */
export function SettingsForm<Values extends object>({ form, save, ...body }: SettingsFormProps<Values>) {
  return (
    <FormBody
      className={styles.form}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      isDisabled={!form.isDirty()}
      {...body}
    />
  );
}
