/** Puts a text on the clipboard: by the platform's program, else by the terminal (OSC 52). */
import { spawn } from 'node:child_process';
import type { Env } from '../../world.ts';
import type { ConversationCommandContext } from '../command-context.ts';

interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Programs to try, in order; none on a machine that is only reached over the network, whose clipboard is not
 * the person's. tmux passes a text on to its own terminal.
 */
export function clipboardPrograms(env: Env, platform: NodeJS.Platform): readonly Program[] {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (isSet('TMUX')) return [{ command: 'tmux', args: ['load-buffer', '-w', '-'] }];
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return [];
  if (platform === 'darwin') return [{ command: 'pbcopy', args: [] }];
  if (platform === 'win32') return [{ command: 'clip', args: [] }];
  return [
    ...(isSet('WAYLAND_DISPLAY') ? [{ command: 'wl-copy', args: [] }] : []),
    ...(isSet('DISPLAY')
      ? [
          { command: 'xclip', args: ['-selection', 'clipboard'] },
          { command: 'xsel', args: ['--clipboard', '--input'] },
        ]
      : []),
  ];
}

/** Resolves with how it was copied, for a sentence. */
export async function copyText(
  text: string,
  { emit, env }: Pick<ConversationCommandContext, 'emit' | 'env'>,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  for (const program of clipboardPrograms(env, platform))
    if (await written(program, text, env)) return `with ${program.command}`;
  emit(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
  return 'through the terminal (OSC 52)';
}

/** A program that serves a clipboard keeps running; it is done when it has read the text. */
function written({ command, args }: Program, text: string, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.stdin.once('error', () => resolve(false));
    child.stdin.end(text);
  });
}
