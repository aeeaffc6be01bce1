/** Permission questions, and what answers them: the configured MCP tool, the host, or none of them. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { ParkingPort } from '../../protocol/session/parking.ts';
import type { CanUseTool } from '../../protocol/tools/can-use-tool.ts';
import type { AskedQuestion, AskPort, PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionResult, PermissionUpdate } from '../../protocol/tools/permission.ts';
import type { PermissionExplanation } from '../../protocol/tools/permission-explanation.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import { createRuleFiles } from './session-rule-files.ts';

export interface AskedPermissions {
  readonly permissions: Permissions;
  /** In memory, and in the settings file that an update names. */
  applyUpdates(updates: readonly PermissionUpdate[]): Promise<void>;
  readonly ask: AskPort;
  /** Whether an answer about this call was preset and not yet given. */
  isAnswered(toolUseId: string): boolean;
  presetAnswer(answer: PermissionResult & { readonly toolUseID: string }): void;
}

export interface AskingPorts {
  readonly ids: Ids;
  readonly clock: Clock;
  /** Absent: a question is waited for. */
  readonly parking?: ParkingPort | undefined;
  /** Receives changes for the rest of the session, when they are in force. */
  changed?(updates: readonly PermissionUpdate[]): void;
  /** Calls a tool beside the conversation, for `permissionPromptToolName`. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
}

const NO_PROMPTS =
  'This call needs approval, and permission prompts are switched off for this run, so it is denied. Do what can be done without it.';

const BY_TOOL = { answeredBy: 'permissionPromptTool' } as const;

/** Who answers questions. An MCP tool that was named for it goes before the host. */
function pickAnswerer(
  { canUseTool, permissionPromptToolName: name }: QueryEngineConfig,
  callTool: (name: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
): CanUseTool | undefined {
  if (name === undefined) return canUseTool;
  return promptThrough((input, signal) => callTool(name, input, signal));
}

/**
 * A tool that answers permission questions. It gets `tool_name`, `input` and `tool_use_id`, and its
 * text must be the answer as JSON. Errors are thrown; `createAsk` converts them into a denial (F90).
 */
function promptThrough(
  call: (input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
): CanUseTool {
  return async (toolName, input, { signal, toolUseID }) => {
    const output = await call({ tool_name: toolName, input, tool_use_id: toolUseID }, signal);
    const text = extractText(output);
    if (output.isError === true) throw new Error(`the permission prompt tool failed: ${text.slice(0, 1000)}`);
    try {
      return parseJson(text) as PermissionResult;
    } catch {
      throw new Error(
        `the permission prompt tool must answer with JSON such as {"behavior":"allow"}, and said: ${text.slice(0, 200)}`,
      );
    }
  };
}

function extractText({ content }: ToolOutput): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

/** What tools need of them. */
export interface ToolPermissions extends Pick<AskedPermissions, 'ask' | 'isAnswered' | 'presetAnswer'> {
  readonly permissions: Pick<Permissions, 'decide' | 'policyFor' | 'readFilter'>;
}

/** The same, for questions of an agent, or of one who has a mode or directories of their own. */
export function askingWith(
  { ask, isAnswered, permissions, presetAnswer }: ToolPermissions,
  whose: Pick<PermissionQuestion, 'asker' | 'mode' | 'ownDirectories'>,
): ToolPermissions {
  const isOwn = Object.values(whose).some((each) => each !== undefined);
  const own = isOwn && {
    decide: (question: PermissionQuestion) => permissions.decide({ ...whose, ...question }),
    policyFor: (question: PermissionQuestion) => permissions.policyFor({ ...whose, ...question }),
    readFilter: (place: { readonly cwd: string }) => permissions.readFilter(place),
  };
  return {
    ask: isOwn ? (question, signal) => ask({ ...whose, ...question }, signal) : ask,
    isAnswered,
    presetAnswer,
    permissions: own || permissions,
  };
}

/**
 * Updates in force from now on, and written to the settings files that they name. Rejects with
 * `invalid_option` and `invalid_settings`; nothing has changed then.
 */
export async function applyUpdates(
  updates: readonly PermissionUpdate[],
  { settingsAccess }: Pick<QueryEngineConfig, 'settingsAccess'>,
  permissions: Pick<Permissions, 'apply' | 'check'>,
): Promise<void> {
  permissions.check(updates);
  await settingsAccess?.persist(updates);
  permissions.apply(updates);
}

/** Creates the port that answers on the first question. */
export class Asking {
  readonly #config: QueryEngineConfig;
  readonly #permissions: Permissions;
  readonly #ports: AskingPorts;
  #preset: Map<string, PermissionResult> | undefined;
  /** Settles when the last changes are in force. */
  #updated: Promise<void> | undefined;

  constructor(config: QueryEngineConfig, permissions: Permissions, ports: AskingPorts) {
    this.#config = config;
    this.#permissions = permissions;
    this.#ports = ports;
  }

  preset(answer: PermissionResult & { readonly toolUseID: string }): void {
    this.#preset ??= new Map();
    this.#preset.set(answer.toolUseID, answer);
  }

  isAnswered(toolUseId: string): boolean {
    return this.#preset?.has(toolUseId) === true;
  }

  applyUpdates(updates: readonly PermissionUpdate[]): Promise<void> {
    const applying = applyUpdates(updates, this.#config, this.#permissions).then(() => {
      const ofSession = updates.filter(({ destination }) => destination === 'session');
      if (ofSession.length > 0) this.#ports.changed?.(ofSession);
    });
    this.#updated = applying.catch(() => undefined);
    return applying;
  }

  async ask(...[question, signal]: Parameters<AskPort>): ReturnType<AskPort> {
    const { permissionPromptToolName, permissionTimeoutMs: timeoutMs } = this.#config;
    const { callTool, clock, ids } = this.#ports;
    const known = this.#preset?.get(question.toolUseId);
    const { createAsk } = await import('../../permissions/ask/create-ask.ts');
    const permissions = { apply: (updates: readonly PermissionUpdate[]) => this.applyUpdates(updates) };
    if (known !== undefined) {
      const tellKnown: CanUseTool = async (_name, _input, { toolUseID }) => {
        this.#preset?.delete(toolUseID);
        return known;
      };
      return createAsk({ permissions, ids, canUseTool: tellKnown })(question, signal);
    }
    // Asked for anew at each question: settings may change it while the session runs.
    if (this.#permissions.locks.denyInsteadOfPrompting === true)
      return { behavior: 'deny', message: NO_PROMPTS, answeredBy: 'asyncAgent' };
    const canUseTool = pickAnswerer(this.#config, callTool);
    const explaining = (asked: AskedQuestion) => this.#explaining(asked);
    const { parking } = this.#ports;
    const ask = createAsk({ permissions, ids, canUseTool, clock, timeoutMs, explaining, parking });
    const answer = await ask(question, signal);
    if (answer.behavior === 'pending' || permissionPromptToolName === undefined) return answer;
    return answer.answeredBy !== undefined ? answer : { ...answer, ...BY_TOOL };
  }

  async #explain(asked: AskedQuestion): Promise<PermissionExplanation> {
    // Another answer may just be writing its rules.
    await this.#updated;
    return this.#permissions.explain(asked, createRuleFiles(this.#config.settingsAccess));
  }

  #explaining(asked: AskedQuestion) {
    let explanation: Promise<PermissionExplanation> | undefined;
    return {
      explain: () => {
        explanation ??= this.#explain(asked);
        return explanation;
      },
      checkRule: (rule: string) => this.#permissions.checkRule(rule, asked),
    };
  }
}
