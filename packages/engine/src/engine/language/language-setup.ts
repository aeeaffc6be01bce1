/** Language servers of a session, as its other parts know them. */

import type { AttachmentSource } from '../../attachments/source.ts';
import type { LanguageServersOptions } from '../../language/language-servers.ts';
import type { LanguageServerStatus } from '../../protocol/tools/language.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';

/** What a session is given that has some. */
export interface LanguageSetup {
  /** Its servers, before any is started. */
  readonly listed: readonly LanguageServerStatus[];
  open(parts: LanguageParts): SessionLanguages;
}

export interface LanguageParts
  extends Pick<LanguageServersOptions, 'clock' | 'env' | 'files' | 'isolateFor' | 'warn'> {
  /** The folders of the session, its own first; absolute. */
  readonly folders: readonly string[];
  /** Whether a rule denies reading a file; undefined: none does. */
  readFilter(): ((path: string) => Promise<boolean>) | undefined;
}

export interface SessionLanguages {
  /** The same tools, with what edits bring in their results, and LSP. */
  toolsWith(tools: readonly AnyTool[]): readonly AnyTool[];
  /** What comes too late for the result of an edit. `agentId`: whose edits; absent: the main agent's. */
  lateSources(agentId?: string): readonly AttachmentSource[];
  statuses(): readonly LanguageServerStatus[];
  /** undefined: nothing was started. Never rejects. */
  close(): Promise<void> | undefined;
}
