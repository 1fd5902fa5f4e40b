import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { useCursorKeys } from './cursor-keys.ts';
import styles from './list.module.css';

export type Column<T> = {
  readonly key: string;
  /** Empty: of what can be done with a row. */
  readonly header: string;
  readonly render: (row: T) => ReactNode;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /** Left out at phone width. */
  readonly wide?: boolean;
};

type TableProps<T> = {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** The address that a click on the row, or Enter, opens. The first column should hold a link to it too. */
  readonly rowHref?: (row: T) => string;
  /** Without a frame of its own, within a Section. */
  readonly bare?: boolean;
};

/** A table with a row cursor: j and k move it from anywhere on the page, Enter opens the row. */
export function Table<T>({ label, columns, rows, rowKey, rowHref, bare = false }: TableProps<T>) {
  const { common } = useTexts();
  const body = useRef<HTMLTableSectionElement>(null);
  const [cursor, setCursor] = useState(0);
  const navigate = useNavigate();
  useCursorKeys(body);
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const shown = isPhone ? foldActions(columns) : columns;
  const open = (row: T) => {
    if (rowHref) void navigate({ href: rowHref(row) });
  };
  return (
    <div className={bare ? styles.bare : styles.frame}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={column.key} scope="col" className={cellClass(column)}>
                {column.header === '' ? <span className="unseen">{common.actions}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, index) => (
            <tr
              key={rowKey(row)}
              className={styles.row}
              data-linked={rowHref ? true : undefined}
              tabIndex={index === Math.min(cursor, rows.length - 1) ? 0 : -1}
              onFocus={() => setCursor(index)}
              onClick={(event) => isPlain(event) && open(row)}
              onKeyDown={(event) => isEnterOnRow(event) && open(row)}
            >
              {shown.map((column) => (
                <td key={column.key} className={cellClass(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const PHONE = '(max-width: 36rem)';

/** At phone width what can be done with a row stands below its name: beside it there is no room. */
function foldActions<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  const [first, ...others] = columns;
  const actions = others.at(-1);
  if (first === undefined || actions?.header !== '' || actions.align !== 'end') return columns;
  const render = (row: T) => (
    <>
      {first.render(row)}
      <div className={styles.folded}>{actions.render(row)}</div>
    </>
  );
  return [{ ...first, render }, ...others.slice(0, -1)];
}

function cellClass({ align, wide }: { align?: 'end'; wide?: boolean }): string | undefined {
  const names = [align === 'end' && styles.end, wide && styles.wide].filter(Boolean);
  return names.length === 0 ? undefined : names.join(' ');
}

/** A click on a link, a button or selected text is not meant for the row. */
function isPlain(event: MouseEvent<HTMLElement>): boolean {
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest('a, button, input, label, time')) return false;
  return (getSelection()?.toString() ?? '') === '';
}

function isEnterOnRow(event: KeyboardEvent<HTMLElement>): boolean {
  return event.key === 'Enter' && event.target === event.currentTarget;
}
