/** Changes to the files with MCP servers, which keep all other content. */
import { dirname, join } from 'node:path';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { changeJsonFile, type JsonChange, type JsonFile } from '../write/change-json.ts';
import { refuseStrayLinks } from '../write/write-settings.ts';
import { MCP_FILE, type Servers } from './mcp-file.ts';
import { parseSettingsJson } from './parse-settings.ts';
import { readIfPresent } from './read-settings.ts';
import { field, projectKey } from './user-servers.ts';

/**
 * `local`: of the user, only for this project. `project`: of the repository. `user`: of the user, for every
 * project.
 */
export const SERVER_SCOPES = ['local', 'project', 'user'] as const;
export type ServerScope = (typeof SERVER_SCOPES)[number];

interface ServerFilesPlaces {
  readonly projectRoot: string;
  /** Where servers of the scopes `local` and `user` are; undefined: there is no home. */
  readonly userFile: string | undefined;
  readonly configHome: string | undefined;
  readonly files: PersistentFiles;
}

interface ServerFiles {
  /** Resolves with the file's name. Throws `invalid_option` when the scope has a server of that name. */
  add(scope: ServerScope, name: string, config: unknown): Promise<string>;
  /** The scopes that have a server of that name. */
  scopesOf(name: string): Promise<readonly ServerScope[]>;
  /** Resolves with the file's name; undefined: the scope has no server of that name. */
  remove(scope: ServerScope, name: string): Promise<string | undefined>;
}

export function createServerFiles(places: ServerFilesPlaces): ServerFiles {
  const { projectRoot, files } = places;
  const keyOf = async (scope: ServerScope) => (scope === 'local' ? projectKey(projectRoot, files) : '');
  const change = async (scope: ServerScope, edit: (servers: Servers) => Servers | undefined) => {
    const file = pickFile(scope, places);
    if (scope === 'project') await refuseStrayLinks(file.file, places);
    const key = await keyOf(scope);
    let done = false;
    await changeJsonFile(file, (held) => {
      const after = edit(serversIn(held, scope, key, file.file));
      done = after !== undefined;
      return after && buildChange(held, scope, key, after);
    });
    return done ? file.file : undefined;
  };
  return {
    async add(scope, name, config) {
      const file = await change(scope, (servers) => {
        if (Object.hasOwn(servers, name))
          throw new TurnwrightError(
            'invalid_option',
            `There is an MCP server "${name}" in the ${scope} scope already. Remove it first, or take another name.`,
          );
        return { ...servers, [name]: config };
      });
      return file as string;
    },
    async scopesOf(name) {
      const found: ServerScope[] = [];
      for (const scope of SERVER_SCOPES) {
        if (scope !== 'project' && places.userFile === undefined) continue;
        const { file } = pickFile(scope, places);
        const text = await readIfPresent(file, files);
        const held = text === undefined ? {} : parseSettingsJson(text, file);
        if (isRecord(held) && Object.hasOwn(serversIn(held, scope, await keyOf(scope), file), name))
          found.push(scope);
      }
      return found;
    },
    remove: (scope, name) =>
      change(scope, (servers) =>
        Object.hasOwn(servers, name)
          ? Object.fromEntries(Object.entries(servers).filter(([each]) => each !== name))
          : undefined,
      ),
  };
}

function pickFile(
  scope: ServerScope,
  { projectRoot, userFile, configHome, files }: ServerFilesPlaces,
): JsonFile {
  // The shared file may be read by others; the other files may contain secrets, so only the user reads them.
  if (scope === 'project') return { file: join(projectRoot, MCP_FILE), files, mode: 0o644 };
  if (userFile === undefined)
    throw new TurnwrightError(
      'invalid_option',
      'There is no home to keep MCP servers in. Set TURNWRIGHT_HOME or HOME.',
    );
  // Only the user reads the configuration home; the mode of the home directory stays as it is.
  const folderMode = dirname(userFile) === configHome ? 0o700 : undefined;
  return { file: userFile, files, mode: 0o600, folderMode };
}

type Held = Readonly<Record<string, unknown>>;

const KEY = 'mcpServers';

/** Throws `invalid_settings` when a change would lose content of the file. */
function serversIn(held: Held, scope: ServerScope, key: string, file: string): Servers {
  if (scope === 'project' && !(KEY in held) && Object.keys(held).length > 0)
    throw unusable(file, `it holds other keys than ${KEY}. Put its servers under that key first.`);
  if (scope !== 'local') return record(held[KEY], KEY, file);
  const project = record(record(held[PROJECTS], PROJECTS, file)[key], `${PROJECTS}.${key}`, file);
  return record(project[KEY], `${PROJECTS}.${key}.${KEY}`, file);
}

const PROJECTS = 'projects';

function record(value: unknown = {}, key: string, file: string): Servers {
  if (isRecord(value)) return value;
  throw unusable(file, `its key ${key} holds no object.`);
}

function unusable(file: string, why: string): TurnwrightError {
  return new TurnwrightError('invalid_settings', `The MCP servers in ${file} cannot be changed: ${why}`);
}

function buildChange(held: Held, scope: ServerScope, key: string, servers: Servers): JsonChange {
  if (scope !== 'local') return { key: KEY, value: servers };
  const projects = field(held, PROJECTS);
  return { key: PROJECTS, value: { ...projects, [key]: { ...field(projects, key), [KEY]: servers } } };
}
