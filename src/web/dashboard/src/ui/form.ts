import { type ChangeEvent, type FormEvent, useState } from 'react';

type Errors = Readonly<Record<string, string>>;

/**
 * A form of texts, with the few parts of @mantine/form's `useForm` that the pages need which are loaded first: for lists,
 * nesting and validation take that one.
 */
export function useForm<T extends Record<string, string>>({ initialValues }: { initialValues: T }) {
  const [values, setValues] = useState(initialValues);
  const [errors, setErrors] = useState<Errors>({});
  return {
    values,
    errors,
    /** Messages by field, from `fieldErrors(error)`. */
    setErrors,
    reset() {
      setValues(initialValues);
      setErrors({});
    },
    getInputProps: (name: keyof T & string) => ({
      value: values[name],
      error: errors[name],
      onChange(event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) {
        const { value } = event.currentTarget;
        setValues((previous) => ({ ...previous, [name]: value }));
      },
    }),
    onSubmit: (submit: (values: T) => void) => (event: FormEvent) => {
      event.preventDefault();
      setErrors({});
      submit(values);
    },
  };
}
