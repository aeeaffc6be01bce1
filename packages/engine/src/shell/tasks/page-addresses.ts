/** `curl` that reads pages and sends nothing: its addresses are held against the hosts that are known. */

const PLAIN =
  /^-[sSfLIi]+$|^--(?:silent|show-error|fail|fail-with-body|location|head|include|compressed|no-progress-meter)$/;
const NUMBERED = /^(?:-m|--(?:max-time|connect-timeout|retry|retry-delay|max-redirs))$/;
const ACCEPTS = /^Accept(?:-Language)?: [\w/+*.,;= -]{1,100}$/i;
const SHOWS = /^(?:[^%@\\]|%\{(?:http_code|response_code|time_total|size_download|content_type)\}|\\n)*$/;

/** The addresses that it reads; undefined: it may do more. */
export function readAddresses(args: readonly string[]): readonly string[] | undefined {
  const urls: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    const value = args[at + 1] ?? '';
    if (PLAIN.test(arg)) continue;
    if (/^-s?o$|^--output$/.test(arg)) at += 1;
    else if (NUMBERED.test(arg) && /^\d+(?:\.\d+)?$/.test(value)) at += 1;
    else if (/^(?:-H|--header)$/.test(arg) && ACCEPTS.test(value)) at += 1;
    else if (/^(?:-w|--write-out)$/.test(arg) && SHOWS.test(value)) at += 1;
    else if (/^https?:\/\/[^\s{}[\]\\]+$/.test(arg)) urls.push(arg);
    else return undefined;
  }
  return urls.length === 0 ? undefined : urls;
}
