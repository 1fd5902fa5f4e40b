import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import type { Form } from '../../../ui/form.ts';
import { useSave } from '../../../ui/use-save.ts';

type NewSigningKey = Parameters<typeof api.post<'/projects/{projectId}/signing-keys'>>[1]['body'];

/** What each form of a new signing key gets. */
export type KeyFormProps = { readonly onBack: () => void; readonly onClose: () => void };

type AddKey<T extends object> = {
  readonly form: Form<T>;
  readonly buildBody: (values: T) => NewSigningKey;
  readonly onClose: () => void;
};

/** Saves a key for user tokens. */
export function useAddKey<T extends object>({ form, buildBody, onClose }: AddKey<T>) {
  const { signingKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  return useSave({
    send: (values: T) =>
      api.post('/projects/{projectId}/signing-keys', { path: { projectId }, body: buildBody(values) }),
    form,
    done: texts.saved,
    onClose,
    refresh: ['/projects/{projectId}/signing-keys', '/activity'],
  });
}
