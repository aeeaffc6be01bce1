/** Language servers in a session: its tools that use them, and what they find late. Loaded where there are some. */

import type { AttachmentSource } from '../../attachments/source.ts';
import { LanguageServers, type LanguageServersOptions } from '../../language/language-servers.ts';
import { createLspTool } from '../../language/lsp-tool.ts';
import type { LanguageServerEntry } from '../../language/server-config.ts';
import { collectLate, watchEdits } from '../../language/watched-tools.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { LanguageServerStatus } from '../../protocol/tools/language.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { createParser } from '../../tools/schema/from-json-schema.ts';
import type { QueryEngineConfig } from '../config.ts';
import { ServerSandbox } from '../mcp/server-sandbox.ts';
import type { SandboxSurroundings } from '../sandbox/sandbox-surroundings.ts';
import { VERSION } from '../version.ts';

/** What a session is given that has language servers. */
export interface LanguageSetup {
  readonly entries: readonly LanguageServerEntry[];
  /** ms that an edit waits for its problems. */
  readonly waitMs: number;
  /** The tool LSP is offered. */
  readonly offersTool: boolean;
  open(config: QueryEngineConfig, parts: LanguageParts): LanguageRoom;
}

interface LanguageParts extends Pick<LanguageServersOptions, 'clock' | 'env' | 'files'> {
  readonly permissions: Pick<Permissions, 'readFilter'>;
  surroundings(): SandboxSurroundings;
}

export class LanguageRoom {
  readonly #config: QueryEngineConfig;
  readonly #parts: LanguageParts;
  readonly #servers: LanguageServers;
  readonly #sandbox: ServerSandbox;
  readonly #offersTool: boolean;

  constructor(setup: LanguageSetup, config: QueryEngineConfig, parts: LanguageParts) {
    this.#config = config;
    this.#parts = parts;
    this.#offersTool = setup.offersTool;
    this.#sandbox = new ServerSandbox(config, parts.surroundings);
    this.#servers = new LanguageServers({
      ...parts,
      ...setup,
      version: VERSION,
      isolateFor: (server) => this.#sandbox.isolateFor(server),
      warn: (line) => config.stderr?.(line),
    });
  }

  /** The same tools, with what edits bring in their results, and LSP. */
  toolsWith(tools: readonly AnyTool[]): readonly AnyTool[] {
    const watched = watchEdits(tools, this.#servers);
    if (!this.#offersTool) return watched;
    const { files } = this.#parts;
    return [...watched, createLspTool(this.#servers, { files, makeParser: createParser })];
  }

  /** What comes too late for the result of an edit. `agentId`: whose edits; absent: the main agent's. */
  lateSource(agentId?: string): AttachmentSource {
    const { additionalDirectories = [], cwd } = this.#config;
    return {
      name: 'late_diagnostics',
      collect: (_, { signal }) =>
        this.#servers.isSettled(agentId)
          ? []
          : collectLate(this.#servers, {
              agentId,
              signal,
              folders: [cwd, ...additionalDirectories],
              isDenied: this.#parts.permissions.readFilter({ cwd }),
            }),
    };
  }

  statuses(): readonly LanguageServerStatus[] {
    return this.#servers.statuses();
  }

  /** undefined: nothing was started. Never rejects. */
  close(): Promise<void> | undefined {
    return this.#servers.close()?.finally(() => this.#sandbox.close());
  }
}
