/**
 * Shell commands that stand in a text (a command file, a skill): run in the way the model's own calls run.
 */

import type { Permissions } from '../../permissions/permission-engine.ts';
import type { ShellAnswer } from '../../protocol/tools/command.ts';
import { errorText } from '../../util/text/error-text.ts';
import { textOfContent } from '../../util/text/text-of-content.ts';
import type { ToolsRoom } from './tools-room.ts';

/** How long one may take, in ms. */
const SHELL_MS = 60_000;

/** Runs a command through the gate, with these allow rules added and without questions. Never rejects. */
export async function gatedShell(
  command: string,
  allowedTools: readonly string[],
  signal: AbortSignal,
  {
    permissions,
    tools,
  }: {
    readonly permissions: Pick<Permissions, 'lend'>;
    readonly tools: Pick<ToolsRoom, 'callGated'>;
  },
): Promise<ShellAnswer> {
  let undo = () => {};
  try {
    undo = permissions.lend(allowedTools);
    const answer = await tools.callGated('Bash', { command, timeout: SHELL_MS }, signal);
    return answer.ok ? { ok: true, output: textOfContent(answer.content) } : answer;
  } catch (error) {
    return { ok: false, why: errorText(error) };
  } finally {
    undo();
  }
}
