/** The output styles of a session: read when a host lists them, or if one is configured. */
import { join } from 'node:path';
import type { LookedAtFiles } from '@turnwright/base/files/confined-files.ts';
import { projectFolders } from '@turnwright/base/files/folders.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import {
  DEFAULT_STYLE,
  type OutputStyle,
  readOutputStyles,
  type StyleDirectory,
} from '../../skills/output-styles.ts';
import type { PluginSetup } from './plugins.ts';

export interface OutputStyleSetup {
  /** As it was configured, whether there is such a style or not. */
  readonly name: string;
  /** The one that holds; undefined: the default. */
  readonly current: OutputStyle | undefined;
  /** Names: the default, the built-in ones, those of files. Looks again each time. */
  list(): Promise<readonly string[]>;
}

interface OutputStyleParts {
  readonly files: LookedAtFiles;
  readonly plugins: Pick<PluginSetup, 'plugins'>;
  readonly warn?: ((line: string) => void) | undefined;
}

/**
 * Reads nothing when no style is set. With an unknown one the default holds, which is said. A file beats a
 * built-in style of its name.
 */
export async function openOutputStyles(
  { config: { home }, outputStyle, skills }: Pick<Resolution, 'config' | 'outputStyle' | 'skills'>,
  { files, plugins, warn }: OutputStyleParts,
): Promise<OutputStyleSetup> {
  const read = async () => {
    const { project, user } = skills;
    const folders = project === undefined ? [] : await projectFolders(project.root, files);
    const within = folders.at(-1);
    const ofProject = folders.flatMap((folder) =>
      ['.turnwright', '.claude'].map((name) => ({ path: join(folder, name, 'output-styles'), within })),
    );
    const ofUser = user && home !== undefined ? [{ path: join(home, 'output-styles') }] : [];
    const directories: readonly StyleDirectory[] = [
      ...(project?.trusted === true ? [...ofProject, ...ofUser] : [...ofUser, ...ofProject]),
      ...plugins.plugins.flatMap(({ name, root, outputStyleDirectories }) =>
        outputStyleDirectories.map((path) => ({ path, prefix: name, within: root })),
      ),
    ];
    return readOutputStyles(directories, { files, warn });
  };
  const namesOf = (styles: readonly { readonly name: string }[]) => [
    ...new Set([DEFAULT_STYLE, ...styles.map((style) => style.name)]),
  ];
  const list = async () => namesOf([...(await builtIn()), ...(await read())]);
  const name = outputStyle ?? DEFAULT_STYLE;
  if (name === DEFAULT_STYLE) return { name, current: undefined, list };
  const styles = [...(await read()), ...(await builtIn())];
  const current = styles.find((style) => style.name === name);
  if (current === undefined)
    warn?.(
      `There is no output style "${name}", so the default one holds. There are: ${namesOf(styles).join(', ')}.`,
    );
  return { name, current, list };
}

/** Loaded by sessions that have a style, or list them. */
const builtIn = async () => (await import('../../skills/built-in-styles.ts')).BUILT_IN_STYLES;
