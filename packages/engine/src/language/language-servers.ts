/** The language servers of a session: which one a file belongs to, and what an edit brought. */

import { resolve } from 'node:path';
import { unlessAborted } from '@turnwright/base/async/promises.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { type PathReader, realPath } from '@turnwright/base/files/real-path.ts';
import type { LanguageServerStatus } from '../protocol/tools/language.ts';
import {
  idleStatus,
  LanguageServer,
  type LanguageServerPorts,
  languageIn,
  readSource,
} from './language-server.ts';
import type { LanguageServerEntry } from './language-server-config.ts';
import type { FileProblems } from './problems.ts';

export interface LanguageServersOptions extends LanguageServerPorts {
  readonly files: LanguageServerPorts['files'] & PathReader;
  readonly entries: readonly LanguageServerEntry[];
  /** ms that an edit waits for its problems. */
  readonly waitMs: number;
}

/** Whose files are asked about. */
export interface FileUser {
  readonly agentId?: string | undefined;
  /** The folders of a session, its own first; absolute. A server works in one of them. */
  readonly folders: readonly string[];
  readonly signal: AbortSignal;
  /** Whether a rule denies reading a file; undefined: none does. */
  isDenied?: ((path: string) => Promise<boolean>) | undefined;
}

interface EditedFile extends FileUser {
  /** Absolute. */
  readonly path: string;
  /** Files that the model has read, absolute. */
  readonly known: readonly string[];
}

/** Begun before the edit is made. */
interface WatchedEdit {
  /** Call it when the file was changed. Waits for the problems, at most `waitMs`. Never rejects. */
  made(): Promise<readonly FileProblems[]>;
}

/** Programs of one session. */
const MAX_SERVERS = 8;
/** A server that is this much behind is not waited for, and then not sent more. */
const SLOW_BACKLOG = 2;
const MAX_BACKLOG = 10;
const MAIN = '';

export class LanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #servers = new Map<string, LanguageServer>();
  /** By agent: servers that may still find something in what it changed. */
  readonly #owing = new Map<string, Set<LanguageServer>>();

  constructor(options: LanguageServersOptions) {
    this.#options = options;
  }

  /** undefined: no server is there for the file. */
  async watch(edit: EditedFile): Promise<WatchedEdit | undefined> {
    const { entries } = this.#options;
    if (!entries.some((entry) => languageIn(entry, edit.path) !== undefined)) return undefined;
    const path = await this.#resolve(edit.path);
    const servers = (await this.serversOf(path, edit)).filter(({ trouble }) => trouble === undefined);
    if (servers.length === 0) return undefined;
    const before = await readSource(this.#options.files, path);
    return { made: () => this.#problemsSince(path, before, servers, edit) };
  }

  /** Those of a file that is resolved. */
  async serversOf(path: string, { folders }: Pick<FileUser, 'folders'>): Promise<readonly LanguageServer[]> {
    const roots = await Promise.all(folders.map((folder) => this.#resolve(folder)));
    const root = roots.find((folder) => isInside(path, folder));
    if (root === undefined) return [];
    return this.#options.entries.flatMap((entry) => {
      if (languageIn(entry, path) === undefined) return [];
      const { workspaceFolder } = entry.config;
      const folder = workspaceFolder === undefined ? root : resolve(root, workspaceFolder);
      const key = `${entry.name}\0${folder}`;
      const known = this.#servers.get(key);
      if (known !== undefined) return [known];
      if (this.#servers.size >= MAX_SERVERS) return [];
      const server = new LanguageServer(entry, folder, this.#options);
      this.#servers.set(key, server);
      return [server];
    });
  }

  /** Servers that were started. */
  get started(): readonly LanguageServer[] {
    return [...this.#servers.values()];
  }

  /** What servers have found in what this agent changed, and it does not know yet. */
  async late(user: FileUser): Promise<readonly FileProblems[]> {
    const owing = this.#owing.get(user.agentId ?? MAIN);
    const found = [...(owing ?? [])].flatMap((server) =>
      server.backlog === 0 && server.problems.hasChanges ? server.problems.take(undefined) : [],
    );
    return found.length === 0 ? found : this.#usable(found, user);
  }

  /** Nothing may have come late. */
  isSettled(agentId: string | undefined): boolean {
    return ![...(this.#owing.get(agentId ?? MAIN) ?? [])].some(({ problems }) => problems.hasChanges);
  }

  statuses(): readonly LanguageServerStatus[] {
    const started = this.started.map((server) => server.status());
    const idle = this.#options.entries.filter(({ name }) => !started.some((one) => one.name === name));
    return [...started, ...idle.map(idleStatus)];
  }

  /** undefined: none was started. Never rejects. */
  close(): Promise<void> | undefined {
    if (this.#servers.size === 0) return undefined;
    return Promise.allSettled(this.started.map((server) => server.close())).then(() => {});
  }

  async #problemsSince(
    path: string,
    before: string | undefined,
    servers: readonly LanguageServer[],
    edit: EditedFile,
  ): Promise<readonly FileProblems[]> {
    const after = await readSource(this.#options.files, path);
    const able = servers.filter(({ backlog }) => backlog < MAX_BACKLOG);
    if (after === undefined || after === before || able.length === 0) return [];
    const awaited = able.filter(({ backlog }) => backlog < SLOW_BACKLOG);
    const known = await Promise.all(edit.known.slice(-100).map((each) => this.#resolve(each)));
    const followed = able.map((server) => {
      const isIts = (other: string) => other !== path && server.languageOf(other) !== undefined;
      const beside = known.filter((other) => isIts(other) && isInside(other, server.root));
      return { server, done: server.follow({ path, before, after, beside }) };
    });
    const agent = edit.agentId ?? MAIN;
    this.#owing.set(agent, new Set([...(this.#owing.get(agent) ?? []), ...able]));
    const mine = followed.filter(({ server }) => awaited.includes(server)).map(({ done }) => done);
    if (mine.length > 0) await this.#atMost(Promise.all(mine), edit.signal);
    const found = able.flatMap((server) => (server.backlog === 0 ? server.problems.take(path) : []));
    return this.#usable(found, edit);
  }

  async #atMost(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { clock, waitMs } = this.#options;
    let cancel: () => void = () => {};
    const limit = new Promise<void>((done) => {
      cancel = clock.timer(waitMs, done);
    });
    await unlessAborted(Promise.race([work, limit]), signal).catch(() => {});
    cancel();
  }

  /** Without files that are not there, and those that may not be read. */
  async #usable(found: readonly FileProblems[], { isDenied }: FileUser): Promise<readonly FileProblems[]> {
    const { files } = this.#options;
    const isUsable = await Promise.all(
      found.map(
        async ({ path }) =>
          (await files.stat(path).catch(() => undefined))?.kind === 'file' &&
          (await isDenied?.(path).catch(() => true)) !== true,
      ),
    );
    return found.filter((_, at) => isUsable[at]);
  }

  async #resolve(path: string): Promise<string> {
    return (await realPath(this.#options.files, path)) ?? path;
  }
}
