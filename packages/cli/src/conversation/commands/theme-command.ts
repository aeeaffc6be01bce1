/** `/theme`: the colours of the conversation, now and in those that follow. */
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { THEMES, type ThemeSetting } from '../screen/screen-settings.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { listOverlay } from './list.ts';

const ABOUT: Readonly<Record<ThemeSetting, string>> = {
  auto: 'dark or light, by the background of the terminal',
  dark: 'for a dark background',
  light: 'for a light background',
  basic: 'the 16 colours that the terminal defines',
  none: 'without colours',
};

export const themeCommand: ConversationCommand = {
  name: 'theme',
  summary: 'Shows the colour themes, and switches to another one',
  argument: '[name]',
  complete: async (prefix) => THEMES.filter((name) => name.startsWith(prefix)),
  async run(argument, context) {
    const { columns, env, open, print, query, setTheme, themeSetting } = context;
    const asked = argument.toLowerCase();
    const chosen = asked === '' ? await open(themeList(themeSetting)) : THEMES.find((name) => name === asked);
    if (chosen === undefined && asked === '') return;
    if (chosen === undefined)
      throw new CommandMistake(`There is no theme "${argument}". It is one of ${THEMES.join(', ')}.`);
    setTheme(chosen);
    const kept = await query.updateSettings('userSettings', { theme: chosen }).then(
      async () => `It is kept in ${await query.settingsFile('userSettings')}.`,
      (error: Error) => `It is for this conversation alone: ${error.message}`,
    );
    const unseen =
      themeSetting === undefined
        ? ' There are no colours line by line.'
        : (env['NO_COLOR'] ?? '') === ''
          ? ''
          : ' NO_COLOR is set, so there are no colours.';
    print(wrap(oneLine(`The theme is ${chosen}: ${ABOUT[chosen]}. ${kept}${unseen}`), columns));
  },
};

function themeList(current: ThemeSetting | undefined) {
  return listOverlay({
    title: 'Theme',
    items: THEMES.map((name) => ({
      value: name,
      label: name,
      detail: ABOUT[name],
      isCurrent: name === current,
    })),
    empty: '',
    enter: 'takes it',
  });
}
