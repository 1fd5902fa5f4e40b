import { useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { NewProjectForm } from './new-project.tsx';

/** A new project, from anywhere. */
export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const { frame } = useTexts();
  return (
    <Dialog onClose={onClose} title={frame.newProject}>
      <NewProjectForm onClose={onClose} />
    </Dialog>
  );
}
