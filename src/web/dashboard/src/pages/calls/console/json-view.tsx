import { useState } from 'react';
import { useTexts } from '../../../texts/texts.tsx';
import styles from './console.module.css';

/** So deep a value is open from the start. */
const OPEN_DEPTH = 3;
/** More members of one value are shown on demand only. */
const MEMBERS_MAX = 200;

/** A JSON value as a tree: objects and arrays open and close, with the keyboard too. */
export function JsonView({ value }: { value: unknown }) {
  return (
    <div className={styles.json}>
      <Node value={value} depth={0} />
    </div>
  );
}

type NodeProps = { readonly name?: string; readonly value: unknown; readonly depth: number };

function Node({ name, value, depth }: NodeProps) {
  if (typeof value === 'object' && value !== null) return <Branch name={name} value={value} depth={depth} />;
  return (
    <div className={styles.leaf}>
      <Name name={name} />
      <span className={styles[value === null ? 'null' : typeof value]}>{JSON.stringify(value)}</span>
    </div>
  );
}

function Branch({ name, value, depth }: { name: string | undefined; value: object; depth: number }) {
  const { console: texts } = useTexts().calls;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [limit, setLimit] = useState(MEMBERS_MAX);
  const isArray = Array.isArray(value);
  const members = Object.entries(value);
  const size = isArray ? texts.jsonItems(members.length) : texts.jsonKeys(members.length);
  if (members.length === 0)
    return (
      <div className={styles.leaf}>
        <Name name={name} />
        <span>{isArray ? '[]' : '{}'}</span>
      </div>
    );
  return (
    <div className={styles.branch}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <Name name={name} />
        <span className="soft">
          {isArray ? '[' : '{'}
          {!isOpen && ` ${size} ${isArray ? ']' : '}'}`}
        </span>
      </button>
      {isOpen && (
        <div className={styles.members}>
          {members.slice(0, limit).map(([key, member]) => (
            <Node key={key} {...(!isArray && { name: key })} value={member} depth={depth + 1} />
          ))}
          {members.length > limit && (
            <button type="button" onClick={() => setLimit(limit + MEMBERS_MAX)}>
              … {members.length - limit}
            </button>
          )}
        </div>
      )}
      {isOpen && <span className="soft">{isArray ? ']' : '}'}</span>}
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span className={styles.key}>{name}:</span>;
}
