import { useTexts } from '../texts/texts.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextLink, type TextLinkProps } from './link.tsx';
import styles from './ui.module.css';

const WHOLE_MAX = 14;

/** The two ends of a long id: those of version 7 begin with their time, so that neighbours differ at the end only. */
export function shortId(id: string): string {
  return id.length <= WHOLE_MAX ? id : `${id.slice(0, 4)}…${id.slice(-6)}`;
}

/** An id, shown short and copied whole; a link where `link` says where it leads. */
export function IdChip({ id, link }: { id: string; link?: TextLinkProps }) {
  const { common } = useTexts();
  return (
    <span className={styles.idChip}>
      {link ? (
        <TextLink {...link} title={id}>
          {shortId(id)}
        </TextLink>
      ) : (
        <span title={id}>{shortId(id)}</span>
      )}
      <CopyButton value={id} label={common.copyId(id)} size={20} />
    </span>
  );
}
