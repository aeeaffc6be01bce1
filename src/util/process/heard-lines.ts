/** Lines for the host's `stderr`. */

import { errorText } from '../text/error-text.ts';

type Hears = (line: string) => unknown;

/**
 * The callback as sessions call it: what it throws, or rejects with, ends nothing and is named once, as a
 * warning of the process.
 */
export function heardLines(stderr: Hears): (line: string) => void {
  let isNamed = false;
  const name = (error: unknown) => {
    if (isNamed) return;
    isNamed = true;
    process.emitWarning(`The callback "stderr" failed, and the session goes on: ${errorText(error)}`);
  };
  return (line) => {
    try {
      const heard = stderr(line);
      if (heard instanceof Promise) heard.catch(name);
    } catch (error) {
      name(error);
    }
  };
}
