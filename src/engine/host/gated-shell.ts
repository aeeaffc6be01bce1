/** Shell commands that stand in a text (a command file, a skill): run in the way the model's own calls run. */
import type { ShellAnswer } from '../../protocol/command.ts';
import { textOfContent } from '../../util/text/text-of-content.ts';
import type { EngineParts } from '../session/session-parts.ts';

/** How long one may take, in ms. */
const SHELL_MS = 60_000;

/** Through the one gate, with these rules allowed as well. Nobody is asked: what no rule allows is refused. Never rejects. */
export async function gatedShell(
  command: string,
  allowedTools: readonly string[],
  signal: AbortSignal,
  parts: Pick<EngineParts, 'permissions'> & {
    readonly tools: Pick<EngineParts['tools'], 'callGated'>;
  },
): Promise<ShellAnswer> {
  let undo = () => {};
  try {
    undo = parts.permissions.lend(allowedTools);
    const answer = await parts.tools.callGated('Bash', { command, timeout: SHELL_MS }, signal);
    return answer.ok ? { ok: true, output: textOfContent(answer.content) } : answer;
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    undo();
  }
}
