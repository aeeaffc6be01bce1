/** The command files of one place, as a source of commands. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { CommandOrigin, CommandSource } from '../protocol/tools/command.ts';
import { parseCommandFile } from './command-file.ts';
import { fileCommand } from './file-command.ts';
import { type CommandFilesPort, findCommandFiles } from './find-command-files.ts';

export interface CommandFilesOptions {
  /** For messages. */
  readonly name: string;
  /** Absolute paths; the first folder that has a name owns it. Folders may be missing. */
  readonly folders: readonly string[];
  readonly files: CommandFilesPort;
  readonly origin: CommandOrigin;
  /** false: its commands only supply prompts; they grant, run and switch nothing. */
  readonly trusted: boolean;
  /** Prefix of every name, followed by a colon: a plugin's. */
  readonly prefix?: string | undefined;
  /** Values of `${NAME}` in their texts. */
  readonly places?: Readonly<Record<string, string>> | undefined;
  readonly warn: (line: string) => void;
  readonly unread?: Pick<UnreadFields, 'note'> | undefined;
}

export function commandFiles(options: CommandFilesOptions): CommandSource {
  const { folders, files, origin, trusted, places, prefix, warn, unread } = options;
  let loading: Promise<void> | undefined;

  const load = async () => {
    const found = (await Promise.all(folders.map((folder) => findCommandFiles(folder, files, warn)))).flat();
    const read = await Promise.all(
      found.map(async ({ name, path, text }) => {
        const full = prefix === undefined ? name : `${prefix}:${name}`;
        const { file, problem } = await parseCommandFile(full, path, text, unread);
        if (problem !== undefined) warn(`${path}: ${problem}; it was passed over.`);
        return file.userInvocable ? [fileCommand(file, { origin, trusted, places })] : [];
      }),
    );
    source.commands = read.flat();
  };
  const source: Writable<CommandSource> = {
    name: options.name,
    commands: [],
    load() {
      loading ??= load();
      return loading;
    },
  };
  return source;
}
