import type { ToolsPort } from '../../loop/deps.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { WireTool } from '../../protocol/model/wire.ts';
import type { PermissionResult } from '../../protocol/tools/permission.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../protocol/tools/tool.ts';
import type { DeclaredCall } from './declared-call.ts';
import type { GatedAnswer } from './host-call.ts';

/** The tools of a conversation, as the engine uses them. */
export interface ToolsRoom {
  readonly port: ToolsPort;
  /** Leaves the tool out of further requests; false: it was out already. */
  quarantine(name: string): boolean;
  /** Names, in the order the model sees them. */
  names(): readonly string[];
  /** Tools that are announced by name and omitted from requests until they are loaded. */
  deferred(model: string): Promise<readonly WireTool[]>;
  /**
   * A call of the engine, not of the model, through the same gate, without a question. `filled`: what its
   * shell command runs as. A tool of the engine's own runs where the session has one of its name. Never
   * rejects.
   */
  callGated(
    called: string | AnyTool,
    input: JsonObject,
    signal: AbortSignal,
    filled?: ToolContext['filled'],
  ): Promise<GatedAnswer>;
  /**
   * A call that the user has declared beforehand, in the session's own folder, through the same gate. Its
   * intent is recorded, and it may run again where its outcome is lost. It runs where nothing but a rule that
   * allows it is missing; about anything else the user or host is asked. Never rejects.
   */
  callDeclared(called: string, input: JsonObject, call: DeclaredCall): Promise<GatedAnswer>;
  /** The host's answer is known before it is asked (an orphaned permission). */
  presetAnswer(answer: PermissionResult & { readonly toolUseID: string }): void;
  /** Runs a tool beside the conversation, past the gate: for what the host itself asked for. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
}
