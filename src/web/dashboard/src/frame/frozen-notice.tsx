import { useKnownProject } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { LinkButton } from '../ui/link.tsx';
import { Notice } from '../ui/notice.tsx';

/** Says on every page of a frozen project why nothing happens. */
export function FrozenNotice({ projectId }: { projectId: string }) {
  const { frame } = useTexts();
  const frozen = useKnownProject(projectId)?.frozen ?? null;
  if (frozen === null) return null;
  return (
    <Notice
      tone="bad"
      title={frame.frozenTitle}
      foot={
        <LinkButton to="/p/$projectId/settings" params={{ projectId }}>
          {frame.frozenSettings}
        </LinkButton>
      }
    >
      {frozen.reason === null ? frame.frozenText : `${frame.frozenText} ${frame.frozenReason(frozen.reason)}`}
    </Notice>
  );
}
