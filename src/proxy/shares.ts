/** For whom a place is taken. */
export type Party = {
  readonly projectId: string;
  /** Names the user together with its project. */
  readonly userKey: string;
};

/** Whose limit keeps a party from another place: its own, its project's, or that of all together. */
export type Limit = 'user' | 'project' | 'all';

/** A project may hold three times as many places as are free for others: three quarters, as long as it is alone. */
const PROJECT_PER_FREE = 3;
/** A user may hold half as many as are left for its project: a quarter of all, as long as it is alone. */
const USER_PER_LEFT = 0.5;

/**
 * A number of places, and who holds how many of them. What one may hold shrinks with what is free, so that no party can
 * take the last places, and who holds none gets one as long as there is any for its project.
 */
export class Shares {
  readonly #max: number;
  #held = 0;
  readonly #users = new Map<string, number>();
  readonly #projects = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get held(): number {
    return this.#held;
  }

  /** Undefined where the party may take a place now. */
  limitOf({ projectId, userKey }: Party): Limit | undefined {
    return this.limitOfProject(projectId) ?? this.limitOfUser(projectId, userKey);
  }

  limitOfProject(projectId: string): Limit | undefined {
    const free = this.#max - this.#held;
    if (free <= 0) return 'all';
    const held = this.#projects.get(projectId) ?? 0;
    return held > 0 && held >= PROJECT_PER_FREE * free ? 'project' : undefined;
  }

  /** Where its project may take a place. */
  limitOfUser(projectId: string, userKey: string): Limit | undefined {
    const held = this.#users.get(userKey) ?? 0;
    if (held === 0) return undefined;
    const free = this.#max - this.#held;
    const ofProject = this.#projects.get(projectId) ?? 0;
    // Each place that the project takes is also one less that is free.
    const left = (PROJECT_PER_FREE * free - ofProject) / (PROJECT_PER_FREE + 1);
    return held >= USER_PER_LEFT * left ? 'user' : undefined;
  }

  take({ projectId, userKey }: Party): void {
    this.#held += 1;
    this.#users.set(userKey, (this.#users.get(userKey) ?? 0) + 1);
    this.#projects.set(projectId, (this.#projects.get(projectId) ?? 0) + 1);
  }

  leave({ projectId, userKey }: Party): void {
    this.#held -= 1;
    decrease(this.#users, userKey);
    decrease(this.#projects, projectId);
  }
}

/** A count of zero takes no memory. */
function decrease(counts: Map<string, number>, key: string): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}
