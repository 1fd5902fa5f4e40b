import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import styles from './activity.module.css';
import type { Entry } from './entry.ts';

/** Who did it: the name, and what kind of caller that is. */
export function ActorName({ entry }: { entry: Entry }) {
  const { activity } = useTexts();
  const { actorKind, actorId, actorName } = entry;
  const kind = activity.actors[actorKind];
  if (actorKind === 'gateway') return <span className="soft">{kind}</span>;
  if (actorName === null)
    return (
      <span className={styles.person}>
        {actorId ? <IdChip id={actorId} /> : activity.gone}
        <small>{kind}</small>
      </span>
    );
  return (
    <span className={styles.person}>
      <span className={styles.name}>{actorName}</span>
      {actorKind !== 'operator' && <small>{kind}</small>}
    </span>
  );
}
