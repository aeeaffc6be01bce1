/** The person's own editor, for the prompt and for files. */
import { spawn } from 'node:child_process';
import { editExternally, pickEditor } from '@turnwright/terminal/editor/external-editor.ts';
import type { Env } from '../../world.ts';
import type { Screen } from './conversation-screen.ts';

interface Place {
  readonly cwd: string;
  readonly env: Env;
  warn(sentence: string): void;
}

/** Ctrl+G: the draft in `$VISUAL` or `$EDITOR`. */
export async function editDraft(screen: Screen, { cwd, env, warn }: Place): Promise<void> {
  const { editor } = screen;
  const { platform } = process;
  const edited = await editExternally({
    text: editor.text,
    env,
    platform,
    cwd,
    release: () => screen.release(),
    take: () => screen.take(),
  });
  if ('problem' in edited) warn(edited.problem);
  else editor.importText(edited.text);
}

/** Resolves when the editor was closed. */
export async function openFile(path: string, screen: Screen, { cwd, env, warn }: Place): Promise<void> {
  const command = pickEditor({ env, platform: process.platform });
  const problem = await screen.lend(
    () =>
      new Promise<string | undefined>((resolve) => {
        const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', path], {
          cwd,
          env: { ...env },
          stdio: 'inherit',
        });
        child.once('error', (error) => resolve(error.message));
        child.once('close', (code) => resolve(code === 0 ? undefined : `exit code ${code}`));
      }),
  );
  if (problem !== undefined) warn(`${path} cannot be edited with ${command}: ${problem}`);
}
