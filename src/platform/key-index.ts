import { createMultimap } from '../lib/multimap.ts';

/**
 * Keys by group, and in a group by what they are about (their topic; undefined: anything), so that a change looks at the keys
 * that it may concern and not at all of a project, or of all projects.
 */
export function createKeyIndex() {
  /** Of no topic, by group. */
  const general = createMultimap<string>();
  /** By topic of a group. */
  const special = createMultimap<string>();
  /** The topics of each group, as `special` has them. */
  const topics = createMultimap<string>();
  const nameOf = (group: string, topic: string): string => `${group} ${topic}`;

  return {
    add(group: string, topic: string | undefined, key: string): void {
      if (topic === undefined) general.add(group, key);
      else {
        const name = nameOf(group, topic);
        special.add(name, key);
        topics.add(group, name);
      }
    },

    remove(group: string, topic: string | undefined, key: string): void {
      if (topic === undefined) general.remove(group, key);
      else {
        const name = nameOf(group, topic);
        special.remove(name, key);
        if (special.list(name).size === 0) topics.remove(group, name);
      }
    },

    /** The keys that a change of `topic` may concern; all of the group where it has none. Keys may be removed meanwhile. */
    *list(group: string, topic: string | undefined): Generator<string> {
      yield* general.list(group);
      const names = topic === undefined ? topics.list(group) : [nameOf(group, topic)];
      for (const name of names) yield* special.list(name);
    },
  };
}
