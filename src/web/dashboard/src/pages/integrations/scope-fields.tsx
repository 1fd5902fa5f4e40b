import type { ReactNode } from 'react';
import type { Provider } from '../../api/catalog.ts';
import type { Form } from '../../ui/form.ts';
import type { FormValues } from './form-values.ts';
import { ScopePicker } from './scope-picker.tsx';

/** The scopes of an integration, with what the API says of any of them. */
export function ScopeFields({ provider, form }: { provider: Provider; form: Form<FormValues> }) {
  return (
    <ScopePicker
      provider={provider}
      value={form.values}
      onChange={form.setValues}
      error={joinErrors(form.getError('scopes'), form.getError('optionalScopes'))}
    />
  );
}

function joinErrors(first: ReactNode, second: ReactNode): ReactNode {
  if (first === undefined || second === undefined) return first ?? second;
  return (
    <>
      {first} {second}
    </>
  );
}
