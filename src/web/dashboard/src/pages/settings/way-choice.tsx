import { useId } from 'react';
import styles from './settings.module.css';

type Way<V> = { readonly value: V; readonly title: string; readonly text?: string };

type WayChoiceProps<V> = {
  readonly legend: string;
  readonly ways: readonly Way<V>[];
  readonly value: V;
  readonly onChange: (value: V) => void;
};

/** One of a few ways, each with a word on what it means. */
export function WayChoice<V extends string>({ legend, ways, value, onChange }: WayChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset className={styles.ways}>
      <legend className={styles.legend}>{legend}</legend>
      {ways.map((way) => (
        <label key={way.value} className={styles.way}>
          <input
            type="radio"
            name={name}
            checked={way.value === value}
            onChange={() => onChange(way.value)}
          />
          <strong>{way.title}</strong>
          {way.text && <small>{way.text}</small>}
        </label>
      ))}
    </fieldset>
  );
}
