import { createMultimap } from '../lib/multimap.ts';

type Topics = ReturnType<typeof createMultimap<string>>;

/** Stands for keys that any change of their group may concern: ids are never empty. */
const ANY = '';

/**
 * Keys by group, and in a group by what they are about (their topic; undefined: anything), so that the cache looks at the keys
 * that a change may concern and not at all of a project, or of all projects.
 */
export function createKeyIndex() {
  const groups = new Map<string, Topics>();

  return {
    add(group: string, topic: string = ANY, key: string): void {
      const topics = groups.get(group) ?? createMultimap<string>();
      groups.set(group, topics);
      topics.add(topic, key);
    },

    remove(group: string, topic: string = ANY, key: string): void {
      const topics = groups.get(group);
      topics?.remove(topic, key);
      if (topics?.isEmpty()) groups.delete(group);
    },

    /** The keys that a change of `topic` may concern; all of the group where it has none. Keys may be removed meanwhile. */
    *list(group: string, topic: string | undefined): Generator<string> {
      const topics = groups.get(group);
      if (topics === undefined) return;
      if (topic === undefined) yield* topics.values();
      else {
        yield* topics.list(ANY);
        yield* topics.list(topic);
      }
    },

    /** Groups that have keys. */
    get size(): number {
      return groups.size;
    },
  };
}
