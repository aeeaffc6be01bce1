/** `/output-style`: how the model answers, in this project. */
import { resolveSettings } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { shortPath } from '../../words/tool-label.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import { listOverlay } from '../commands/list.ts';
import { isWorking, listBackground } from '../conversation-state.ts';
import { reopenHere } from '../session/reopen-here.ts';

export async function runOutputStyle(argument: string, context: ConversationCommandContext): Promise<void> {
  const { columns, cwd, open, options, print, query, state, theme } = context;
  const { output_style: now, available_output_styles: styles } = await query.initializationResult();
  const asked = styles.find((style) => style.toLowerCase() === argument.toLowerCase());
  if (argument !== '' && asked === undefined)
    throw new CommandMistake(
      `There is no output style "${argument}". It is one of ${styles.join(', ')}; a file in .claude/output-styles is one more.`,
    );
  const chosen =
    asked ??
    (await open(
      listOverlay({
        title: 'Output style',
        items: styles.map((style) => ({
          value: style,
          label: style,
          detail: style === 'default' ? 'as the model answers by itself' : undefined,
          isCurrent: style === now,
        })),
        empty: '',
        enter: 'takes it',
      }),
    ));
  if (chosen === undefined) return;
  await query.updateSettings('localSettings', { outputStyle: chosen });
  const file = shortPath(await query.settingsFile('localSettings'), { cwd });
  const { effective } = await resolveSettings(options);
  if ((effective.outputStyle ?? 'default') !== chosen) {
    const why = `outputStyle is ${chosen} in ${file}, and has no effect: a flag or a policy sets ${effective.outputStyle ?? 'none'}, or this folder is not trusted.`;
    return print(wrap(oneLine(why), columns).map((row) => theme.warn(row)));
  }
  // It is a part of the system prompt, which a session has from its beginning.
  const isNow = !isWorking(state) && listBackground(state).length === 0;
  if (isNow) await reopenHere(context);
  const when = isNow ? 'from the next prompt on' : 'when this session is opened again';
  print(wrap(oneLine(`The output style is ${chosen}, ${when}. It is kept in ${file}.`), columns));
}
