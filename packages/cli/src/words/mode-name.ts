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

/** A sentence of the engine, in which modes have the names of the options. */
export function nameModes(sentence: string): string {
  return sentence.replace(/(permission mode is )(\w+)/gi, (_, before, mode) => before + modeName(mode));
}

/** Why a call without a rule is asked about, instead of the engine's sentence; undefined: that is used. */
export function reasonWithoutRule(
  { type, text }: { readonly type: string; readonly text: string },
  mode: string,
  what = 'it',
): string | undefined {
  // Which command of a line it is, its rows show.
  if (type !== 'other' || !/no rule allows (?:it|".*" in it) and/s.test(text)) return undefined;
  return `no rule allows ${what}, and the mode is ${modeName(mode)}`;
}
