/**
 * One language server of one folder: started when it is first needed, kept in step with the files, started
 * again with a pause when it dies. Work for it is done one after the other; no caller has to wait for it.
 */

import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInside } from '@turnwright/base/files/inside.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../protocol/ports.ts';
import type { Isolate } from '../protocol/tools/isolation.ts';
import type { LanguageServerStatus } from '../protocol/tools/language.ts';
import { answerServer, CLIENT_CAPABILITIES } from './client-answers.ts';
import { type LanguageLink, startLink } from './language-link.ts';
import type { LanguageServerEntry } from './language-server-config.ts';
import { ProblemStore } from './problem-store.ts';
import { readProblems } from './problems.ts';
import { PublishedFiles } from './published-files.ts';

export interface LanguageServerPorts {
  readonly clock: Clock;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Sent to servers. */
  readonly version: string;
  /** undefined: the server runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  warn(line: string): void;
}

/** A file before and after a change; undefined: it did not exist. */
interface TextChange {
  /** Absolute. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** Other files that the model knows, absolute: errors in them are seen too. */
  readonly beside: readonly string[];
}

interface OpenFile {
  version: number;
  text: string;
}

const START_MS = 30_000;
const MAX_RESTARTS = 3;
/** Pauses before it is started again, ms. */
const PAUSES_MS = [1_000, 5_000, 30_000];
/** A server that ran this long, in ms, may be started as often as a new one. */
const LONG_LIFE_MS = 5 * 60_000;
/** Until the state before a change is known, ms. */
const BASELINE_MS = 20_000;
const PULL_MS = 30_000;
/** Files that are kept open in the server. */
const MAX_OPEN = 50;
/** Of those that the model knows, opened with one change. */
const MAX_BESIDE = 20;
const MAX_FILE_BYTES = 1024 * 1024;

export class LanguageServer {
  readonly name: string;
  readonly root: string;
  readonly problems = new ProblemStore();
  readonly #entry: LanguageServerEntry;
  readonly #ports: LanguageServerPorts;
  readonly #open = new Map<string, OpenFile>();
  #published: PublishedFiles;
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #starting: Promise<LanguageLink> | undefined;
  /** Its program, from its start on. */
  #process: LanguageLink | undefined;
  /** The same once it is ready. */
  #link: LanguageLink | undefined;
  #capabilities: Readonly<Record<string, unknown>> = {};
  #restarts = 0;
  #startedMs = 0;
  /** Not before this time of the clock. */
  #notBeforeMs = 0;
  #problem: string | undefined;
  #isClosed = false;

  constructor(entry: LanguageServerEntry, root: string, ports: LanguageServerPorts) {
    this.name = entry.name;
    this.root = root;
    this.#entry = entry;
    this.#ports = ports;
    this.#published = new PublishedFiles(ports.clock);
  }

  status(): LanguageServerStatus {
    const state =
      this.#link !== undefined
        ? 'running'
        : this.#starting !== undefined
          ? 'starting'
          : this.#problem === undefined
            ? 'idle'
            : 'failed';
    return {
      ...idleStatus(this.#entry),
      state,
      root: this.root,
      ...(state === 'failed' && { problem: this.#problem ?? '' }),
    };
  }

  /** Work that it has not done yet. */
  get backlog(): number {
    return this.#waiting;
  }

  /** Why it cannot be used now, half a sentence; undefined: it can, or can be started. */
  get trouble(): string | undefined {
    if (this.#isClosed) return 'it was closed';
    if (this.#link !== undefined || this.#starting !== undefined) return undefined;
    return this.#ports.clock.monotonicMs() < this.#notBeforeMs ? this.#problem : undefined;
  }

  /** Resolves once `problems` has what the change brought, or it is known that it cannot. Never rejects. */
  follow(change: TextChange): Promise<void> {
    return this.#next(async (link) => {
      const { path, before, after, beside } = change;
      const opened = await this.#takeUp(link, beside.slice(-MAX_BESIDE), path);
      if (before !== undefined && this.#show(link, path, before)) opened.push(path);
      const isFirst = !this.#published.isWarm;
      if (opened.length > 0) await this.#learn(link, opened, BASELINE_MS);
      this.problems.settle(isFirst ? undefined : opened);
      this.#published.isWarm = true;
      const since = this.#published.count;
      this.#show(link, path, after);
      const kind = before === undefined ? 1 : 2;
      link.say('workspace/didChangeWatchedFiles', { changes: [{ uri: toUri(path), type: kind }] });
      link.say('textDocument/didSave', { textDocument: { uri: toUri(path) }, text: after });
      const others = [...this.#open.keys()].filter((other) => other !== path);
      await this.#learn(link, [path, ...others], this.#published.patienceMs, since);
    }).then(
      () => {},
      () => {},
    );
  }

  /** Asks about a file, which is opened first. Rejects with the end of a sentence. */
  ask(path: string, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#next(async (link) => {
      await this.#takeUp(link, [path]);
      this.problems.settle([path]);
      return link.ask(method, params, { limitMs: PULL_MS, signal });
    });
  }

  close(): Promise<void> | undefined {
    this.#isClosed = true;
    return this.#process?.close();
  }

  #next<T>(work: (link: LanguageLink) => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const done = this.#line.then(async () => work(await this.#start()));
    this.#line = done
      .catch(() => {})
      .finally(() => {
        this.#waiting -= 1;
      });
    return done;
  }

  async #start(): Promise<LanguageLink> {
    if (this.#link !== undefined) return this.#link;
    const { trouble } = this;
    if (trouble !== undefined) throw new Error(trouble);
    this.#starting = this.#meet();
    try {
      this.#link = await this.#starting;
      this.#startedMs = this.#ports.clock.monotonicMs();
      void this.#link.ended.then((why) => this.#died(why));
      return this.#link;
    } catch (error) {
      this.#died(errorText(error));
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  #died(why: string): void {
    const { clock } = this.#ports;
    const { maxRestarts = MAX_RESTARTS, restartOnCrash = true } = this.#entry.config;
    if (this.#link !== undefined && clock.monotonicMs() - this.#startedMs > LONG_LIFE_MS) this.#restarts = 0;
    this.#link = undefined;
    this.#open.clear();
    this.#published.end();
    this.#published = new PublishedFiles(clock);
    this.#problem = why;
    const mayTry = restartOnCrash && this.#restarts < maxRestarts;
    const pauseMs = PAUSES_MS[Math.min(this.#restarts, PAUSES_MS.length - 1)] ?? 0;
    this.#notBeforeMs = mayTry ? clock.monotonicMs() + pauseMs : Number.POSITIVE_INFINITY;
    this.#restarts += 1;
    if (!this.#isClosed)
      this.#ports.warn(
        `The language server "${this.name}" ${why.replace(/^it /, '')}. ${mayTry ? 'It is started again when it is needed.' : 'It is not started again in this session.'}`,
      );
  }

  /** Starts the program and agrees with it on what both can do. */
  async #meet(): Promise<LanguageLink> {
    const { clock, env, isolateFor, version } = this.#ports;
    const { args = [], command, env: own, initializationOptions, settings } = this.#entry.config;
    const isolate = isolateFor(this.name);
    const folder = { uri: toUri(this.root), name: basename(this.root) };
    const link = await startLink({
      launch: { program: command, args, cwd: this.root, env: { ...env, ...own } },
      isolate,
      clock,
      answer: (method, params) => answerServer(method, params, { settings, folder }),
      hear: (method, params) => this.#hear(method, params),
    });
    this.#process = link;
    try {
      if (this.#isClosed) throw new Error('it was closed');
      const limitMs = this.#entry.config.startupTimeout ?? START_MS;
      const answer = await link.ask(
        'initialize',
        {
          // In a sandbox the number would be that of another process, or of none.
          processId: isolate === undefined ? process.pid : null,
          clientInfo: { name: 'turnwright', version },
          rootUri: folder.uri,
          rootPath: this.root,
          workspaceFolders: [folder],
          capabilities: CLIENT_CAPABILITIES,
          ...(initializationOptions !== undefined && { initializationOptions }),
        },
        { limitMs },
      );
      const { capabilities } = isRecord(answer) ? answer : { capabilities: undefined };
      this.#capabilities = isRecord(capabilities) ? capabilities : {};
      link.say('initialized', {});
      if (settings !== undefined) link.say('workspace/didChangeConfiguration', { settings });
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  #hear(method: string, params: unknown): void {
    if (!isRecord(params)) return;
    if (method === '$/progress') this.#published.progress(params['token'], params['value']);
    if (method !== 'textDocument/publishDiagnostics') return;
    const path = this.#toPath(params['uri']);
    if (path === undefined) return;
    const open = this.#open.get(path);
    // An older text is not the one that counts.
    if (typeof params['version'] === 'number' && open !== undefined && params['version'] < open.version)
      return;
    this.problems.set(path, readProblems(params['diagnostics'], countLines(open?.text)), open !== undefined);
    this.#published.heard(path);
  }

  /** Only files of its own folder: it knows of no others. */
  #toPath(uri: unknown): string | undefined {
    if (typeof uri !== 'string' || !uri.startsWith('file:')) return undefined;
    try {
      const path = fileURLToPath(uri);
      return isInside(path, this.root) ? path : undefined;
    } catch {
      return undefined;
    }
  }

  /** Brings what is open, and these, to what is on the disk. Returns those whose problems are not known. */
  async #takeUp(link: LanguageLink, more: readonly string[], except?: string): Promise<string[]> {
    const paths = [...new Set([...this.#open.keys(), ...more])].filter((path) => path !== except);
    const shown: string[] = [];
    for (const path of paths) {
      const text = await readSource(this.#ports.files, path);
      if (text === undefined) this.#close(link, path);
      else if (this.#show(link, path, text)) shown.push(path);
    }
    return shown;
  }

  /** Makes this the text of a file; false: it was that already. */
  #show(link: LanguageLink, path: string, text: string): boolean {
    refuseEnded(link);
    const open = this.#open.get(path);
    if (open?.text === text) return false;
    if (open === undefined) {
      const [oldest] = this.#open.size >= MAX_OPEN ? this.#open.keys() : [];
      if (oldest !== undefined) this.#close(link, oldest);
      this.#open.set(path, { version: 1, text });
      const textDocument = { uri: toUri(path), languageId: this.languageOf(path), version: 1, text };
      link.say('textDocument/didOpen', { textDocument });
      return true;
    }
    open.version += 1;
    open.text = text;
    link.say('textDocument/didChange', {
      textDocument: { uri: toUri(path), version: open.version },
      contentChanges: [{ text }],
    });
    return true;
  }

  #close(link: LanguageLink, path: string): void {
    if (this.#open.delete(path)) link.say('textDocument/didClose', { textDocument: { uri: toUri(path) } });
  }

  /** What the server calls the language of a file; undefined: it is none of its files. */
  languageOf(path: string): string | undefined {
    return languageIn(this.#entry, path);
  }

  /** Waits until the problems of these files are known; `since`: of publications. */
  async #learn(link: LanguageLink, paths: readonly string[], limitMs: number, since?: number): Promise<void> {
    const { diagnosticProvider } = this.#capabilities;
    if (diagnosticProvider === undefined) {
      await this.#published.settled(paths, { limitMs, since });
      return refuseEnded(link);
    }
    for (const path of paths) {
      const open = this.#open.get(path);
      const version = open?.version;
      const report = await link.ask(
        'textDocument/diagnostic',
        { textDocument: { uri: toUri(path) } },
        { limitMs: PULL_MS },
      );
      if (isRecord(report) && report['kind'] !== 'unchanged' && open?.version === version)
        this.problems.set(path, readProblems(report['items'], countLines(open?.text)), open !== undefined);
    }
  }
}

export function languageIn({ config }: LanguageServerEntry, path: string): string | undefined {
  const name = basename(path).toLowerCase();
  // The longest ending counts: `.d.ts` before `.ts`.
  const [found] = Object.entries(config.extensionToLanguage)
    .filter(([ending]) => name.endsWith(ending))
    .sort(([a], [b]) => b.length - a.length);
  return found?.[1];
}

/** Of a server that was not started. */
export const idleStatus = ({ name, config }: LanguageServerEntry): LanguageServerStatus => ({
  name,
  state: 'idle',
  command: config.command,
  extensions: Object.keys(config.extensionToLanguage),
});

/** The text of a file on the disk; undefined: there is none, or it is too long for a server. */
export async function readSource(
  files: LanguageServerPorts['files'],
  path: string,
): Promise<string | undefined> {
  const stat = await files.stat(path).catch(() => undefined);
  if (stat?.kind !== 'file' || stat.size > MAX_FILE_BYTES) return undefined;
  return files.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}

export const toUri = (path: string): string => pathToFileURL(path).href;

function refuseEnded({ epitaph }: LanguageLink): void {
  if (epitaph !== undefined) throw new Error(`it ${epitaph}`);
}

const countLines = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : text.split('\n').length;
