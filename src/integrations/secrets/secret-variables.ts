import { z } from 'zod';
import type { Vault } from '../../platform/vault.ts';

const packedVariables = z.record(z.string(), z.string());

type Owner = { readonly id: string; readonly projectId: string };

function contextOf({ id, projectId }: Owner) {
  return { table: 'integrations', column: 'secret_variables_sealed', rowId: id, projectId };
}

/** The secret variables of an integration for their sealed column; null where it has none. */
export function sealSecretVariables(
  vault: Vault,
  owner: Owner,
  variables: Readonly<Record<string, string>>,
): string | null {
  if (Object.keys(variables).length === 0) return null;
  return vault.seal(JSON.stringify(variables), contextOf(owner));
}

/** The secret variables of an integration from their sealed column. */
export function openSecretVariables(
  vault: Vault,
  owner: Owner,
  sealed: string | null,
): Record<string, string> {
  return sealed === null ? {} : packedVariables.parse(JSON.parse(vault.open(sealed, contextOf(owner))));
}
