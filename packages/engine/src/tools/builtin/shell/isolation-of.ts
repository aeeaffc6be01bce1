import type { CommandPlace, Isolate, SandboxedCall } from '../../../protocol/tools/isolation.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';

export interface Isolation {
  readonly place: CommandPlace;
  /** Absent: the command runs without isolation. */
  readonly isolate?: Isolate;
  /** Text for the model: the restrictions of the sandbox. */
  readonly limits?: string;
}

/** undefined: commands are not isolated. */
export async function findIsolation(
  call: SandboxedCall,
  { sandbox }: Pick<ToolContext, 'sandbox'>,
): Promise<Isolation | undefined> {
  if (sandbox === undefined) return undefined;
  const place = await sandbox.placeOf(call);
  return place === 'sandbox' ? { place, isolate: sandbox.isolate, limits: sandbox.limits } : { place };
}
