import { Button } from '@mantine/core';
import type { api } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import styles from '../settings.module.css';

export type NewSigningKey = Parameters<typeof api.post<'/projects/{projectId}/signing-keys'>>[1]['body'];

export type KeyFormProps = {
  readonly onBack: () => void;
  readonly onSubmit: (body: NewSigningKey) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
};

export function FormFoot({ onBack, isPending }: { onBack: () => void; isPending: boolean }) {
  const { settings, common } = useTexts();
  return (
    <div className={styles.dialogFoot}>
      <Button variant="default" onClick={onBack}>
        {common.back}
      </Button>
      <Button type="submit" loading={isPending}>
        {settings.signingKeys.save}
      </Button>
    </div>
  );
}
