import { isRecord } from '@turnwright/base/json-values.ts';
import { parseServer } from './parse-server.ts';

/** Every variable has a value. */
const ANY_VARIABLE = new Proxy<Record<string, string>>({}, { get: () => 'x' });

/**
 * Problem of a server's configuration as written, for any values of `${VAR}`, in one sentence; undefined if
 * there is none.
 */
export function problemAsWritten(value: unknown): string | undefined {
  const isOpen = isRecord(value) && String(value['url']).includes('${');
  const parsed = parseServer(isOpen ? { ...value, url: 'https://host.invalid' } : value, {
    values: ANY_VARIABLE,
  });
  if (!parsed.ok) return parsed.problem;
  return parsed.config.type === 'sdk' ? 'A server of the type "sdk" lives in a program.' : undefined;
}
