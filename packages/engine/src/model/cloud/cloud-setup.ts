/** How the clouds read their variables. */
import type { WireSetup } from '../wire-setup.ts';

/** A login in a browser takes its time. */
export const LOGIN_LIMIT_MS = 180_000;

/** A variable that is set to something; undefined otherwise. */
export function readCloudVariable({ env }: Pick<WireSetup, 'env'>, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** `1`, `true`, `yes` or `on`. */
export function isOn(setup: Pick<WireSetup, 'env'>, name: string): boolean {
  return /^(?:1|true|yes|on)$/i.test(readCloudVariable(setup, name) ?? '');
}

/** The URL in a variable, without a slash at its end. `problem`: it is not one. */
export function urlIn(
  setup: Pick<WireSetup, 'env'>,
  name: string,
): { readonly url?: string | undefined; readonly problem?: string } {
  const url = readCloudVariable(setup, name)?.replace(/\/+$/, '');
  if (url === undefined) return {};
  return URL.canParse(url) && /^https?:/.test(url) ? { url } : { problem: `${name} is not a URL: ${url}` };
}

/** What lies behind an error of a client, as one line. */
export function describeRootCause(error: unknown): string {
  const said: string[] = [];
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const line = inner.message.trim().split('\n', 1)[0] ?? '';
    if (line !== '' && !said.includes(line)) said.push(line);
  }
  // The clients wrap a cause in a sentence that says less than the cause.
  return (said.at(-1) ?? String(error)).replace(/\.$/, '');
}
