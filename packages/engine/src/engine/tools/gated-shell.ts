/**
 * Shell commands that stand in a text (a command file, a skill): run in the way the model's own calls run.
 */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { Ids } from '../../protocol/ports.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import { COMMAND_SOURCES, type ShellAnswer, type ShellTemplate } from '../../protocol/tools/command.ts';
import type { HookPort, InvokedBy } from '../../protocol/tools/hook.ts';
import type { ToolsRoom } from './tools-room.ts';

/** How long one may take, in ms. */
const SHELL_MS = 60_000;
const TOOL = leaderOfFamily('command');

interface ShellWorld {
  readonly permissions: Pick<Permissions, 'lend'>;
  readonly tools: Pick<ToolsRoom, 'callGated'>;
  readonly hooks: Pick<HookPort, 'has' | 'run'>;
  readonly world: { readonly ids: Ids };
}

/** Runs a command through the gate, with these allow rules added and without questions. Never rejects. */
export async function gatedShell(
  command: string | ShellTemplate,
  allowedTools: readonly string[],
  { signal, invokedBy }: { readonly signal: AbortSignal; readonly invokedBy: InvokedBy },
  session: ShellWorld,
): Promise<ShellAnswer> {
  let undo = () => {};
  try {
    const { pieces, of } = typeof command === 'string' ? { pieces: [command], of: undefined } : command;
    const { fillCommand } = await import('../../shell/filling/fill-command.ts');
    const filled = await fillCommand(pieces);
    if (!filled.ok) return filled;
    const refusal = await hookRefusal(filled.shown, of, { signal, invokedBy }, session);
    if (refusal !== undefined) return { ok: false, why: refusal };
    undo = session.permissions.lend(allowedTools);
    const input = { command: filled.shown, timeout: SHELL_MS };
    const answer = await session.tools.callGated(TOOL, input, signal, filled);
    return answer.ok ? { ok: true, output: textOfContent(answer.content) } : answer;
  } catch (error) {
    return { ok: false, why: errorText(error) };
  } finally {
    undo();
  }
}

/** Why a hook keeps it from running: with anything but an `allow`, or with other input. */
async function hookRefusal(
  command: string,
  of: ShellTemplate['of'],
  { signal, invokedBy }: { readonly signal: AbortSignal; readonly invokedBy: InvokedBy },
  { hooks, world }: ShellWorld,
): Promise<string | undefined> {
  if (!hooks.has('PreSkillShellCommand')) return undefined;
  const toolUseId = world.ids.uuid();
  const verdict = await hooks.run(
    {
      event: 'PreSkillShellCommand',
      tool_name: TOOL,
      tool_input: { command },
      tool_use_id: toolUseId,
      command_name: of?.name ?? '',
      ...(of !== undefined && { command_source: COMMAND_SOURCES[of.source] ?? of.source }),
      invoked_by: invokedBy,
    },
    { signal, toolUseId },
  );
  const { permission, reason, blockingErrors, preventContinuation, updatedInput } = verdict;
  const stops =
    (permission !== undefined && permission !== 'allow') ||
    blockingErrors.length > 0 ||
    preventContinuation !== undefined;
  if (!stops && updatedInput === undefined) return undefined;
  const why = stops
    ? (reason ?? blockingErrors[0] ?? preventContinuation?.stopReason ?? 'it was not allowed')
    : 'it sent another input back, which such a command does not take';
  return `PreSkillShellCommand:${TOOL} hook error: ${why}`;
}
