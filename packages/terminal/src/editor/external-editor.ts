/** A text in the user's own editor: `$VISUAL`, else `$EDITOR`, else `vi`. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childProcess } from '@turnwright/base/node.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';

export interface ExternalEdit {
  readonly text: string;
  /** Names the file, so that an editor knows what it is. Default `prompt.md`. */
  readonly fileName?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  /** Gives the terminal to the editor, and takes it again. */
  release(): void;
  take(): void;
}

export type Edited =
  | { readonly text: string }
  /** A sentence: the text is as it was. */
  | { readonly problem: string };

/** Never rejects; the terminal is taken again in any case. */
export async function editExternally(edit: ExternalEdit): Promise<Edited> {
  const { text, fileName = 'prompt.md', release, take } = edit;
  const command = pickEditor(edit);
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'turnwright-edit-'));
    const file = join(folder, fileName);
    await writeFile(file, text, { mode: 0o600 });
    release();
    const problem = await run(command, file, edit).finally(take);
    if (problem !== undefined) return { problem };
    const edited = await readFile(file, 'utf8');
    return { text: withoutLastBreak(edited.replace(/\r\n?/g, '\n'), text) };
  } catch (error) {
    return { problem: `The text cannot be edited with ${command}: ${errorText(error)}` };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

export function pickEditor({ env, platform }: Pick<ExternalEdit, 'env' | 'platform'>): string {
  return env['VISUAL'] || env['EDITOR'] || (platform === 'win32' ? 'notepad' : 'vi');
}

/**
 * The variable is a command line (`code --wait`), so a shell reads it. Resolves to a sentence when it fails.
 */
function run(
  command: string,
  file: string,
  { env, platform, cwd }: ExternalEdit,
): Promise<string | undefined> {
  const shell =
    platform === 'win32'
      ? { program: `${command} "${file}"`, args: [], shell: true }
      : { program: '/bin/sh', args: ['-c', `${command} "$1"`, 'sh', file], shell: false };
  return new Promise((resolve) => {
    const child = childProcess().spawn(shell.program, shell.args, {
      cwd,
      env,
      stdio: 'inherit',
      shell: shell.shell,
    });
    child.on('error', (error) => resolve(`${command} cannot be started: ${errorText(error)}`));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (code === 127) resolve(`${command} is not installed. Set VISUAL or EDITOR to your editor.`);
      else resolve(`${command} ended with ${signal ?? `exit code ${code}`}; the text is as it was.`);
    });
  });
}

/** Editors end the last line with a break that the text did not have. */
function withoutLastBreak(edited: string, before: string): string {
  return before.endsWith('\n') || !edited.endsWith('\n') ? edited : edited.slice(0, -1);
}
