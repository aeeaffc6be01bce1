/** The output styles of a session: read when somebody asks which there are, or when one is set. */
import { join } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ResolvedConfig } from '../../settings/resolved-config.ts';
import {
  DEFAULT_STYLE,
  type OutputStyle,
  readOutputStyles,
  type StyleDirectory,
} from '../../skills/output-styles.ts';
import { projectFolders } from '../../util/folders.ts';
import type { PluginSetup } from './plugins.ts';

export interface OutputStyleSetup {
  /** The one that holds; undefined: the default. */
  readonly current: OutputStyle | undefined;
  /** Names, the default first. Looks again each time. */
  list(): Promise<readonly string[]>;
}

export interface OutputStyleParts {
  readonly files: PersistentFiles;
  readonly plugins: Pick<PluginSetup, 'plugins'>;
  readonly warn?: ((line: string) => void) | undefined;
}

/** Reads nothing when no style is set. An unknown one is a warning, and the default holds. */
export async function openOutputStyles(
  { configHome, outputStyle, skills }: Pick<ResolvedConfig, 'configHome' | 'outputStyle' | 'skills'>,
  { files, plugins, warn }: OutputStyleParts,
): Promise<OutputStyleSetup> {
  const read = async () => {
    const { project, user } = skills;
    const folders = project === undefined ? [] : await projectFolders(project.root, files);
    const within = folders.at(-1);
    const directories: readonly StyleDirectory[] = [
      ...folders.flatMap((folder) =>
        ['.turnwright', '.claude'].map((name) => ({ path: join(folder, name, 'output-styles'), within })),
      ),
      ...(user && configHome !== undefined ? [{ path: join(configHome, 'output-styles') }] : []),
      ...plugins.plugins.flatMap(({ name, root, outputStyleDirectories }) =>
        outputStyleDirectories.map((path) => ({ path, prefix: name, within: root })),
      ),
    ];
    return readOutputStyles(directories, { files, warn });
  };
  const list = async () => [DEFAULT_STYLE, ...(await read()).map(({ name }) => name)];
  if (outputStyle === undefined || outputStyle === DEFAULT_STYLE) return { current: undefined, list };
  const styles = await read();
  const current = styles.find(({ name }) => name === outputStyle);
  if (current === undefined) {
    const names = [DEFAULT_STYLE, ...styles.map(({ name }) => name)].join(', ');
    warn?.(`There is no output style "${outputStyle}"; the default holds. There are: ${names}.`);
  }
  return { current, list };
}
