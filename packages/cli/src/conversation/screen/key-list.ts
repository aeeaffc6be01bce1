/** `?`: what each key does, as it is bound now. */
import type { Bindings } from '@turnwright/terminal/input/bindings.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { listOverlay } from '../commands/list.ts';

export async function showKeys(context: ConversationCommandContext, { help }: Bindings): Promise<void> {
  const rows = help.filter(({ keys, group }) => keys !== '' && group !== 'Viewer');
  await context.open(
    listOverlay({
      title: 'Keys (the setting keybindings changes them)',
      items: rows.map(({ action, keys, about }) => ({ value: action, label: keys, detail: about })),
      empty: '',
      enter: 'closes',
    }),
  );
}
