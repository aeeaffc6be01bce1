/**
 * What to do in place of a slash command that people know from other programs, in a sentence; undefined: none
 * of them has a command of this name.
 */
export async function commandAdvice(name: string): Promise<string | undefined> {
  return (await import('../engine/host/foreign-commands.ts')).findCommandAdvice(name);
}
