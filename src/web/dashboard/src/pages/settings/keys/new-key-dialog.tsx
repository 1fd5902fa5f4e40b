import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CredentialForm } from '../../../ui/credential-form.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { NewApiKey } from './api-key.ts';

type NewKeyDialogProps = {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function NewKeyDialog({ onClose, onCreated }: NewKeyDialogProps) {
  const { apiKeys: texts, members } = useTexts().settings;
  const projectId = useProjectId();
  const { never, days30, days90, year } = texts.expiries;
  return (
    <Dialog onClose={onClose} title={texts.create}>
      <CredentialForm
        words={{ name: members.name, nameHint: texts.nameHint, expires: texts.expiry, submit: texts.create }}
        lifetimes={[
          { label: never },
          { days: 30, label: days30 },
          { days: 90, label: days90 },
          { days: 365, label: year },
        ]}
        send={(body) => api.post('/projects/{projectId}/api-keys', { path: { projectId }, body })}
        refresh={['/projects/{projectId}/api-keys', '/activity']}
        onMade={(key) => {
          onClose();
          onCreated(key);
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
