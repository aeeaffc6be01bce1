/** Permission modes as people read them; settings and flags have the names of the options. */
const NAMES: Readonly<Record<string, string>> = {
  default: 'manual',
  acceptEdits: 'accept edits',
  bypassPermissions: 'bypass permissions',
  plan: 'plan',
  dontAsk: 'never ask',
};

export function modeName(mode: string): string {
  return NAMES[mode] ?? mode;
}

/** Why a call is asked about that no rule speaks of, in place of the engine's sentence; undefined: that stays. */
export function reasonWithoutRule(
  { type, text }: { readonly type: string; readonly text: string },
  mode: string,
  what = 'it',
): string | undefined {
  if (type !== 'other' || !text.includes('no rule allows it')) return undefined;
  return `no rule allows ${what}, and the mode is ${modeName(mode)}`;
}
