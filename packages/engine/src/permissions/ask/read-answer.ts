import { isRecord } from '@turnwright/base/json-values.ts';
import type { PermissionDecisionClassification, PermissionResult } from '../../protocol/tools/permission.ts';

/** A host's answer may have crossed a wire or come from untyped code: only what is understood counts. */
export function readAnswer(
  answer: unknown,
  toolUseId: string,
):
  | { readonly ok: true; readonly answer: PermissionResult }
  | { readonly ok: false; readonly problem: string } {
  if (!isRecord(answer)) return no(`expected an object, got ${answer === null ? 'null' : typeof answer}.`);
  const { behavior, toolUseID, updatedInput, updatedPermissions, message, interrupt } = answer;
  const { decisionClassification: named } = answer;
  if (toolUseID !== undefined && toolUseID !== toolUseId) return no('its toolUseID is that of another call.');
  if (behavior === 'deny') {
    return {
      ok: true,
      answer: {
        behavior,
        message: typeof message === 'string' && message !== '' ? message : 'The user denied this call.',
        ...(interrupt === true ? { interrupt } : {}),
        ...classified(named),
      },
    };
  }
  if (behavior !== 'allow') return no(`behavior must be "allow" or "deny", got ${JSON.stringify(behavior)}.`);
  if (updatedInput !== undefined && updatedInput !== null && !isRecord(updatedInput))
    return no('updatedInput must be an object.');
  if (updatedPermissions !== undefined && updatedPermissions !== null && !Array.isArray(updatedPermissions)) {
    return no('updatedPermissions must be a list.');
  }
  return {
    ok: true,
    answer: {
      behavior,
      ...(isRecord(updatedInput) ? { updatedInput } : {}),
      ...(Array.isArray(updatedPermissions) ? { updatedPermissions } : {}),
      ...classified(named),
    },
  };
}

const CLASSIFICATIONS: readonly PermissionDecisionClassification[] = [
  'user_temporary',
  'user_permanent',
  'user_reject',
];

function classified(named: unknown): Pick<PermissionResult, 'decisionClassification'> {
  const known = CLASSIFICATIONS.find((each) => each === named);
  return known === undefined ? {} : { decisionClassification: known };
}

function no(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
