import { ACCESS_LISTS } from '../facts/access-facts.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { splitHost } from '../schema/provider-access.schema.ts';
import { type Fault, fault } from './fault.ts';

/** What is wrong with what a file says of its requests: a host that it has not, and a contradiction. */
export function accessFaults(file: ProviderFile): Fault[] {
  const given = ACCESS_LISTS.filter((list) => file[list] !== undefined);
  const listed = [...given, ...(file.overrides ? ['overrides'] : [])];
  const contradiction =
    file.methodsTell && listed.length > 0
      ? [fault(['methodsTell'], `does not belong where there is ${listed.join(', ')}`)]
      : [];
  const ofRecords = (file.records ?? []).flatMap(({ paths }, index) =>
    pathFaults(file, paths, ['records', index, 'paths']),
  );
  return [
    ...contradiction,
    ...given.flatMap((list) => pathFaults(file, file[list] ?? [], [list])),
    ...ofRecords,
  ];
}

function pathFaults(
  file: ProviderFile,
  paths: readonly string[],
  place: readonly (string | number)[],
): Fault[] {
  return paths.flatMap((path, index) => {
    const { host } = splitHost(path);
    if (host === undefined || host === 'api' || Object.hasOwn(file.hosts, host)) return [];
    return [fault([...place, index], `is said of the host ${host}, which the file does not have`)];
  });
}
