import { createReadYaml, YamlBusyError } from '../../src/configuration/yaml/yaml-threads.ts';

/** Of so many values that a thread of its size cannot hold them. */
const TOO_LARGE = `[${'[],'.repeat(3_000_000)}]`;

describe('reading files in a thread', () => {
  const readYaml = createReadYaml();

  it('reads one file after the other, and several that come at once', async () => {
    expect(await readYaml('p', 'name: one')).toMatchObject({ ok: true, value: { name: 'one' } });
    const names = ['two', 'three', 'four'];
    const read = await Promise.all(names.map((name) => readYaml('p', `name: ${name}`)));
    expect(read.map((one) => one.ok && one.value)).toEqual(names.map((name) => ({ name })));
  });

  it('goes on with another thread after a file that has ended one', async () => {
    const refused = readYaml('p', TOO_LARGE);
    const next = readYaml('p', 'name: next');
    await expect(refused).rejects.toThrow(YamlBusyError);
    expect(await next).toMatchObject({ ok: true, value: { name: 'next' } });
  });
});
