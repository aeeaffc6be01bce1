/**
 * What has run in a submission, as far as it proves a condition: a command that must succeed and did, when
 * nothing that may have changed files has run since, or ran beside it.
 */
import type { VerifyConditions } from '../../protocol/session/verification.ts';
import { toolsOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { EffectWatch, WatchedCall } from '../../protocol/tools/gate-ports.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';

const COMMANDS = toolsOfFamily('command');
const NOTHING = () => {};

export class EffectLedger implements EffectWatch {
  readonly #commands: ReadonlySet<string>;
  /** Grows with each beginning and end of a call that may change files. */
  #changes = 0;
  #changing = 0;
  readonly #proofs = new Map<string, { readonly toolUseId: string; readonly changes: number }>();

  constructor({ commands = [] }: VerifyConditions) {
    this.#commands = new Set(commands.map(commandOf));
  }

  begin(call: WatchedCall): (output: ToolOutput | undefined) => void {
    const command = this.#conditionIn(call);
    if (command !== undefined) return this.#proving(command, call.toolUseId);
    if (call.changesNothing) return NOTHING;
    this.#changes += 1;
    this.#changing += 1;
    return () => {
      this.#changes += 1;
      this.#changing -= 1;
    };
  }

  /** The call that proves it; undefined: none does. */
  proofOf(command: string): string | undefined {
    const proof = this.#proofs.get(command);
    return this.#changing === 0 && proof?.changes === this.#changes ? proof.toolUseId : undefined;
  }

  /** The command of a condition, where the main agent runs it as the engine would. */
  #conditionIn({ toolName, input, isAtHome, agentId }: WatchedCall): string | undefined {
    if (!COMMANDS.includes(toolName) || agentId !== undefined || !isAtHome) return undefined;
    const { command, run_in_background: inBackground } = input as Readonly<Record<string, unknown>>;
    if (typeof command !== 'string' || inBackground === true) return undefined;
    const trimmed = command.trim();
    return this.#commands.has(trimmed) ? trimmed : undefined;
  }

  #proving(command: string, toolUseId: string): (output: ToolOutput | undefined) => void {
    const changes = this.#changes;
    const isAlone = this.#changing === 0;
    return (output) => {
      this.#proofs.delete(command);
      // What goes on in the background may change files without an end that is seen here.
      if (isMoved(output)) this.#changes += 1;
      else if (isAlone && changes === this.#changes && hasSucceeded(output))
        this.#proofs.set(command, { toolUseId, changes });
    };
  }
}

export const commandOf = (command: NonNullable<VerifyConditions['commands']>[number]): string =>
  (typeof command === 'string' ? command : command.run).trim();

const dataOf = (output: ToolOutput | undefined) => (output?.data ?? {}) as Readonly<Record<string, unknown>>;

const isMoved = (output: ToolOutput | undefined): boolean => dataOf(output)['backgroundTaskId'] !== undefined;

/** With exit code 0: an exit code that has a meaning of its own (`grep`, `test`) is another one. */
export function hasSucceeded(output: Pick<ToolOutput, 'data' | 'isError'> | undefined): boolean {
  if (output === undefined || output.isError === true) return false;
  const { returnCodeInterpretation, interrupted, backgroundTaskId } = output.data as Readonly<
    Record<string, unknown>
  >;
  return returnCodeInterpretation === undefined && interrupted !== true && backgroundTaskId === undefined;
}
