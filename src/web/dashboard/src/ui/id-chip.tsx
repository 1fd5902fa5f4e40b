import { useTexts } from '../texts/texts.tsx';
import { CopyButton } from './copy-button.tsx';
import { HrefLink, TextLink, type TextLinkProps } from './link.tsx';
import styles from './ui.module.css';

const WHOLE_MAX = 14;

/** The two ends of a long id: those of version 7 begin with their time, so that neighbours differ at the end only. */
export function shortId(id: string): string {
  return id.length <= WHOLE_MAX ? id : `${id.slice(0, 4)}…${id.slice(-6)}`;
}

type IdChipProps = {
  readonly id: string;
  /** Where it leads, typed by route; or `href` for an address made elsewhere. */
  readonly link?: TextLinkProps;
  readonly href?: string | undefined;
};

/** An id, shown short and copied whole; a link where it leads somewhere. */
export function IdChip({ id, link, href }: IdChipProps) {
  const { common } = useTexts();
  return (
    <span className={styles.idChip}>
      <ShortId id={id} link={link} href={href} />
      <CopyButton value={id} label={common.copyId(id)} size={20} />
    </span>
  );
}

function ShortId({ id, link, href }: IdChipProps) {
  if (href !== undefined)
    return (
      <HrefLink href={href} title={id}>
        {shortId(id)}
      </HrefLink>
    );
  if (link)
    return (
      <TextLink {...link} title={id}>
        {shortId(id)}
      </TextLink>
    );
  return <span title={id}>{shortId(id)}</span>;
}
