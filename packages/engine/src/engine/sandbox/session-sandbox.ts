/** Isolation of commands, as a session's configuration brings it along: who asks for none loads none. */
import type { PathPatternSource } from '../../permissions/rules/path-rule.ts';
import type { Pattern } from '../../permissions/rules/read-pattern.ts';
import type { SandboxPort } from '../../protocol/tools/isolation.ts';

export interface SessionSandbox {
  /** A call may ask to run outside: through the ordinary rules. */
  readonly mayLeave: boolean;
  /** Whether the MCP server of this name runs in isolation. */
  isolatesServer(name: string): boolean;
  /** Folders and a proxy of its own; what opens it closes it. */
  open(parts: SandboxParts): SandboxPort;
}

/** What a session knows, as of now, and settings do not. */
export interface SandboxParts {
  readonly cwd: string;
  readonly additionalDirectories: () => readonly string[];
  readonly pathPatterns: (source: PathPatternSource) => readonly Pattern[];
  /** Domains of WebFetch rules. */
  readonly domains: (behavior: 'allow' | 'deny') => readonly string[];
  /** Paths of the session's own files that the model may have to read. */
  readonly readableDirectories: () => readonly string[];
  /** Folders that grant, beside those that are known by name. */
  readonly protectedPaths: () => readonly string[];
  readonly stderr: ((line: string) => void) | undefined;
}
