/** Language servers in a session. Loaded where there are some. */

import type { LanguageServerEntry } from '../../language/language-server-config.ts';
import { LanguageServers } from '../../language/language-servers.ts';
import { createLspTool } from '../../language/lsp-tool.ts';
import { collectLate, watchEdits } from '../../language/watched-tools.ts';
import { createParser } from '../../tools/schema/from-json-schema.ts';
import { VERSION } from '../version.ts';
import type { LanguageParts, SessionLanguages } from './language-setup.ts';

interface LanguageChoice {
  readonly entries: readonly LanguageServerEntry[];
  /** ms that an edit waits for its problems. */
  readonly waitMs: number;
  /** The tool LSP is offered. */
  readonly offersTool: boolean;
}

export function openLanguageRoom(
  { entries, waitMs, offersTool }: LanguageChoice,
  parts: LanguageParts,
): SessionLanguages {
  const { files, folders, readFilter } = parts;
  const servers = new LanguageServers({ ...parts, entries, waitMs, version: VERSION });
  return {
    toolsWith: (tools) => [
      ...watchEdits(tools, servers),
      ...(offersTool ? [createLspTool(servers, { files, makeParser: createParser })] : []),
    ],
    lateSources: (agentId) => [
      {
        name: 'late_diagnostics',
        collect: (_, { signal }) =>
          servers.isSettled(agentId)
            ? []
            : collectLate(servers, { agentId, signal, folders, isDenied: readFilter() }),
      },
    ],
    statuses: () => servers.statuses(),
    close: () => servers.close(),
  };
}
