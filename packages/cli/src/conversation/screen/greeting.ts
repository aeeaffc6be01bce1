/** The first line of a conversation: where one is, and where help is found. */
import { VERSION } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';

interface Place {
  readonly cwd: string;
  readonly home: string | undefined;
  /** Key that shows the keys; '': none is bound. */
  readonly helpKey: string;
}

export function greeting({ cwd, home, helpKey }: Place, columns: number, theme: Theme): readonly Row[] {
  const isBelowHome = home !== undefined && home.length > 1 && `${cwd}/`.startsWith(`${home}/`);
  const folder = isBelowHome ? `~${cwd.slice(home.length)}` : cwd;
  const help = [...(helpKey === '' ? [] : [`${helpKey} shows the keys`]), '/ the commands'].join(', ');
  const line = ['Turnwright', VERSION, '·', oneLine(folder), '·', help].join(' ');
  return wrap(line, columns, { hang: '  ' }).map((row) => theme.dim(row));
}
