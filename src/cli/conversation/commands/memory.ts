/** `/memory`: which memory files are loaded; opens one in the editor. */
import type { ContextUsage } from '../../../index.ts';
import { shortPath } from '../../screen/tool-label.ts';
import { tokens } from '../../screen/units.ts';
import type { ConversationCommand } from './command.ts';
import { type ListItem, listOverlay } from './list.ts';

export const memoryCommand: ConversationCommand = {
  name: 'memory',
  summary: 'Shows the loaded memory files, and opens one',
  async run(_, context) {
    const usage = await context.query.getContextUsage();
    const path = await context.open(
      listOverlay({
        title: 'Memory files',
        items: memoryItems(usage, context.cwd),
        empty: 'No memory file is loaded. CLAUDE.md in this folder is one.',
        enter: 'opens it',
      }),
    );
    if (path !== undefined) await context.openFile(path);
  },
};

function memoryItems(
  { memoryFiles }: Pick<ContextUsage, 'memoryFiles'>,
  cwd: string,
): readonly ListItem<string>[] {
  return memoryFiles.map(({ path, type, tokens: count }) => ({
    value: path,
    label: shortPath(path, cwd),
    detail: `${type.toLowerCase()} · ${tokens(count)} tokens`,
    about: [path],
  }));
}
