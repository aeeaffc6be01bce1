/** Where archived sessions are. */
import { folderStore } from '@turnwright/durable';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

type Store = ReturnType<typeof folderStore>;
interface Given {
  readonly archive?: string | undefined;
}

/** The flag, else the variable; undefined: neither is given. */
export function archiveStore({ archive }: Given, { env }: Pick<World, 'env'>): Store | undefined {
  const folder = archive ?? env['TURNWRIGHT_ARCHIVE'] ?? '';
  return folder === '' ? undefined : folderStore(folder);
}

export function neededArchive(given: Given, world: Pick<World, 'env'>): Store {
  const store = archiveStore(given, world);
  if (store === undefined)
    throw new UsageError(
      'No folder for archived sessions is given: --archive <folder>, or export TURNWRIGHT_ARCHIVE=/srv/archive',
    );
  return store;
}
