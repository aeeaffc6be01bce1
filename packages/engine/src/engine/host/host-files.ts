/** Files as a host looks at them: by the same rules as the Read tool, and without the model hearing of it. */
import { resolve } from 'node:path';
import { realPath } from '@turnwright/base/files/real-path.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { RewindFilesResult } from '../../protocol/session/file-history.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import { openSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';
import type { SuggestFiles } from './file-suggestions.ts';

export interface HostFileOptions {
  /** Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Default `utf-8`. */
  readonly encoding?: 'utf-8' | 'base64' | undefined;
}

export interface HostFile {
  readonly contents: string;
  readonly absPath: string;
  /** As it was asked for. */
  readonly requested_path: string;
  /** The file is longer. */
  readonly truncated?: boolean;
  readonly encoding?: 'base64';
  /** Of a text: not every byte was valid UTF-8. */
  readonly lossy?: boolean;
}

export interface HostFiles {
  /**
   * null: there is no such file, or the rules do not let Read see it unasked, in the mode `default`. Relative
   * paths count from `cwd`.
   */
  read(path: string, options?: HostFileOptions): Promise<HostFile | null>;
  /**
   * The model has seen this file, as it was at `mtimeMs` (whole ms): an edit is then not refused as unread.
   * No effect when the file is another by now.
   */
  seedRead(path: string, mtimeMs: number): Promise<void>;
  /** The 15 paths that best match the typed text. Rejects if ripgrep is not installed. */
  readonly suggest: SuggestFiles;
  /** Puts back what tools changed since this message of the user. Opens the session when nothing has yet. */
  rewind(
    userMessageId: string,
    options?: { readonly dryRun?: boolean | undefined },
  ): Promise<RewindFilesResult>;
}

const MAX_BYTES = 1024 * 1024;
const MAX_SEEDED_BYTES = 128 * 1024 * 1024;

const CHECKPOINTING_OFF: RewindFilesResult = {
  canRewind: false,
  error:
    'File checkpointing is off in this session. Switch it on with the option enableFileCheckpointing, the setting fileCheckpointingEnabled or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1.',
};

export function hostFiles(session: Session): HostFiles {
  const { config, permissions, tools, world } = session;
  const { files } = world;
  let suggest: Promise<SuggestFiles> | undefined;
  /** Where the file is that may be read unasked. */
  const readablePlace = async (path: string): Promise<string | undefined> => {
    const tool = config.tools.find(({ name }) => name === leaderOfFamily('read'));
    if (tool === undefined) return undefined;
    const { cwd, additionalDirectories = [] } = config;
    // What the model may do unasked in this session's mode says nothing of what a host may be shown.
    const question = {
      tool,
      input: { file_path: path },
      toolUseId: '',
      cwd,
      additionalDirectories,
      mode: 'default' as const,
    };
    const verdict = await permissions.decide(question);
    return verdict.kind === 'allow' ? verdict.judged?.[0]?.real : undefined;
  };
  return {
    async read(path, { maxBytes = MAX_BYTES, encoding = 'utf-8' } = {}) {
      const absPath = resolve(config.cwd, path);
      const real = await readablePlace(absPath);
      const found =
        real && (await files.readPlain(real, Math.max(0, maxBytes), { cut: true }).catch(() => undefined));
      if (!found || found.bytes === undefined) return null;
      const { stat } = found;
      const bytes = Buffer.from(found.bytes);
      const truncated = stat.size > bytes.length ? { truncated: true } : {};
      if (encoding === 'base64')
        return { contents: bytes.toString('base64'), absPath, requested_path: path, ...truncated, encoding };
      const contents = bytes.toString('utf8');
      const lossy = !Buffer.from(contents, 'utf8').equals(bytes);
      return { contents, absPath, requested_path: path, ...truncated, lossy };
    },
    async seedRead(path, mtimeMs) {
      const absPath = resolve(config.cwd, path);
      const real = await realPath(files, absPath);
      const found = real && (await files.readPlain(real, MAX_SEEDED_BYTES).catch(() => undefined));
      if (!found || found.bytes === undefined) return;
      if (Math.floor(found.stat.mtimeMs) !== Math.floor(mtimeMs)) return;
      const seen = { hash: sha256(found.bytes), mtimeMs: found.stat.mtimeMs, partial: false, real };
      tools.readFileCache.set(absPath, seen);
    },
    async suggest(query) {
      suggest ??= import('./file-suggestions.ts').then((loaded) => loaded.createSuggestFiles(session));
      return (await suggest)(query);
    },
    async rewind(userMessageId, options) {
      if (tools.fileHistory === undefined) return CHECKPOINTING_OFF;
      await openSession(session);
      return tools.fileHistory.rewind(userMessageId, options);
    },
  };
}
