/** Lines for a callback of the host. */

import { errorText } from '../text/error-text.ts';

/**
 * The callback as it is called: what it throws, or rejects with, ends nothing and is named once, as a warning
 * of the process. `name`: of the option.
 */
export function heardLines<Line>(name: string, hears: (line: Line) => unknown): (line: Line) => void {
  let isNamed = false;
  const fail = (error: unknown) => {
    if (isNamed) return;
    isNamed = true;
    process.emitWarning(`The callback "${name}" failed, and the session goes on: ${errorText(error)}`);
  };
  return (line) => {
    try {
      const heard = hears(line);
      if (heard instanceof Promise) heard.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
