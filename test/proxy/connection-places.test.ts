import {
  ConnectionPlaces,
  connectionsMax,
  type PlaceKind,
  type Seeker,
} from '../../src/proxy/connection-places.ts';
import { type Party, Shares } from '../../src/proxy/shares.ts';

const ORIGIN = 'https://api.acme.example';

const party = (projectId: string, user: string): Party => ({ projectId, userKey: `${projectId} ${user}` });

/** As many places as each party gets when they come one after the other and want all they can have. */
function fill(max: number, parties: readonly Party[]): number[] {
  const shares = new Shares(max);
  return parties.map((one) => {
    let count = 0;
    for (; shares.limitOf(one) === undefined; count += 1) shares.take(one);
    return count;
  });
}

describe('shares of places', () => {
  it.each([512, 256, 64, 32])('give a lone user a quarter of %d', (max) => {
    expect(fill(max, [party('p', 'mia')])).toEqual([max / 4]);
  });

  it.each([512, 256, 64, 32])('give the users of a lone project three quarters of %d', (max) => {
    const users = Array.from({ length: max }, (_, index) => party('p', `user-${index}`));
    const counts = fill(max, users);
    expect(counts.reduce((sum, count) => sum + count)).toBe((max * 3) / 4);
  });

  it('leave a place for the tenth user of a project whose users take all they can have', () => {
    const users = Array.from({ length: 10 }, (_, index) => party('p', `user-${index}`));
    expect(fill(512, users).at(-1)).toBeGreaterThan(0);
  });

  it('leave places for a project beside three that take all they can have', () => {
    const greedy = ['p', 'q', 'r'].flatMap((project) =>
      Array.from({ length: 100 }, (_, index) => party(project, `user-${index}`)),
    );
    expect(fill(512, [...greedy, party('s', 'mia')]).at(-1)).toBeGreaterThan(0);
  });

  it.each([1, 2, 3, 4])('give each place to somebody where there are %d', (max) => {
    const parties = Array.from({ length: 5 }, (_, index) => party(`p${index}`, 'mia'));
    expect(fill(max, parties).reduce((sum, count) => sum + count)).toBe(max);
  });

  it('without a limit are never used up', () => {
    const shares = new Shares(Number.POSITIVE_INFINITY);
    for (let count = 0; count < 1000; count += 1) shares.take(party('p', 'mia'));
    expect(shares.limitOf(party('p', 'mia'))).toBeUndefined();
  });

  it('that are given back count for nobody', () => {
    const shares = new Shares(32);
    const mia = party('p', 'mia');
    for (let round = 0; round < 100; round += 1) {
      while (shares.limitOf(mia) === undefined) shares.take(mia);
      while (shares.held > 0) shares.leave(mia);
    }
    expect(shares.limitOf(mia)).toBeUndefined();
  });
});

/** Calls by name, and the order in which those that waited got their places. */
function startPlaces(socketsMax: number) {
  const places = new ConnectionPlaces(socketsMax);
  const granted: string[] = [];
  return {
    granted,
    enter(projectId: string, user: string, name = user, kind: PlaceKind = 'pooled', origin = ORIGIN) {
      const seeker: Seeker = {
        ...party(projectId, user),
        place: undefined,
        isWaiting: false,
        onPlace: () => void granted.push(name),
      };
      try {
        return { seeker, outcome: places.enter(origin, kind, seeker) ? 'place' : 'waits' };
      } catch (error) {
        return { seeker, outcome: (error as { code: string; detail: string }).detail };
      }
    },
  };
}

describe('calls that wait for a connection', () => {
  it('take turns by project and then by user, and each user’s in order of arrival', () => {
    const { enter, granted } = startPlaces(1);
    const holder = enter('x', 'holder').seeker;
    const waiting = [
      ...[1, 2, 3].map((n) => enter('p', 'mia', `p mia ${n}`)),
      ...[1, 2].map((n) => enter('p', 'ada', `p ada ${n}`)),
      enter('q', 'bob', 'q bob 1'),
    ];
    const seekers = [holder, ...waiting.map(({ seeker }) => seeker)];
    for (let turn = 0; turn < 6; turn += 1) {
      const busy = seekers.find(({ place, isWaiting }) => place !== undefined && !isWaiting);
      busy?.place?.leave(busy);
    }
    expect(granted).toEqual(['p mia 1', 'q bob 1', 'p ada 1', 'p mia 2', 'p ada 2', 'p mia 3']);
  });

  it('are passed by calls of those who have not had their share', () => {
    const { enter } = startPlaces(32);
    const mine = Array.from({ length: 40 }, () => enter('p', 'mia').outcome);
    expect(mine.filter((outcome) => outcome === 'place')).toHaveLength(8);
    expect([enter('p', 'ada').outcome, enter('q', 'bob').outcome]).toEqual(['place', 'place']);
  });

  it('are a bounded number for each user, project and origin, and the refusal says whose limit it is', () => {
    const { enter } = startPlaces(4);
    const outcomes = new Set(Array.from({ length: 1_000 }, () => enter('p', 'mia').outcome));
    for (let user = 0; user < 2_000; user += 1) outcomes.add(enter('p', `user-${user}`).outcome);
    for (let project = 0; project < 2_000; project += 1) outcomes.add(enter(`p${project}`, 'mia').outcome);
    expect([...outcomes]).toEqual([
      'place',
      'waits',
      'This user has as many calls waiting for connections to this provider as one user may have at a time.',
      'This project has as many calls waiting for connections to this provider as one project may have at a time.',
      'All connections to this provider stayed busy.',
    ]);
  });

  it('that leave the queue leave nothing behind', () => {
    const { enter, granted } = startPlaces(1);
    const holder = enter('p', 'holder').seeker;
    for (let round = 0; round < 1000; round += 1) {
      const { seeker, outcome } = enter('p', 'mia');
      expect(outcome).toBe('waits');
      seeker.place?.leave(seeker);
    }
    holder.place?.leave(holder);
    expect(granted).toEqual([]);
    expect(enter('p', 'mia').outcome).toBe('place');
  });

  it('and give their place back as soon as they get it keep nobody waiting', () => {
    const places = new ConnectionPlaces(1);
    const ended: number[] = [];
    const open = (onPlace: (seeker: Seeker) => void): Seeker => {
      const seeker: Seeker = {
        ...party('p', 'mia'),
        place: undefined,
        isWaiting: false,
        onPlace: () => onPlace(seeker),
      };
      places.enter(ORIGIN, 'pooled', seeker);
      return seeker;
    };
    const holder = open(() => {});
    for (let index = 0; index < 3; index += 1) {
      open((seeker) => {
        ended.push(index);
        seeker.place?.leave(seeker);
      });
    }
    holder.place?.leave(holder);
    expect(ended).toEqual([0, 1, 2]);
  });
});

describe('places of one kind', () => {
  it.each<[PlaceKind, PlaceKind]>([
    ['pooled', 'streamed'],
    ['streamed', 'long'],
    ['long', 'pooled'],
  ])('%s leave those for %s alone, as do other origins', (kind, other) => {
    const { enter } = startPlaces(1);
    while (enter('p', 'mia', 'mia', kind).outcome === 'place');
    expect(enter('p', 'mia', 'mia', other).outcome).toBe('place');
    expect(enter('p', 'mia', 'mia', kind, 'https://other.example').outcome).toBe('place');
  });

  it('are free again when an answer turns out to stay open, until the places for such are used up', () => {
    const { enter } = startPlaces(8);
    let open = 0;
    for (;;) {
      const { seeker, outcome } = enter('p', 'mia', 'mia', 'streamed');
      if (outcome !== 'place') break;
      seeker.place?.keepOpen(seeker);
      open += 1;
    }
    // A quarter of the places for long answers, and a quarter of the usual ones.
    expect(open).toBe((8 * 8) / 4 + 8 / 4);
    expect(open).toBeLessThan(connectionsMax(8));
  });
});
