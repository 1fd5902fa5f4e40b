import { Dialog, type DialogProps } from './dialog.tsx';
import { FormBody, type FormBodyProps } from './form-body.tsx';

type DialogFormProps = FormBodyProps & Omit<DialogProps, 'children'>;

/** A dialog that is one form. */
export function DialogForm({ title, size, onClose, ...form }: DialogFormProps) {
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <FormBody onCancel={onClose} {...form} />
    </Dialog>
  );
}
