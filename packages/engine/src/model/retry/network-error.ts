/** The errors of a network, in whatever a library has wrapped them. */
import { fieldsIn } from '../openai/fields.ts';

/** Deep enough for a failed fetch inside of an API error. */
const MAX_CAUSES = 5;

/** The innermost error with the code of a socket or of name resolution; undefined: there is none. */
export function networkError(error: unknown): Error | undefined {
  const chain = errorCauses(error);
  const coded = chain.findLast(
    (cause) => cause instanceof Error && typeof fieldsIn(cause)?.['code'] === 'string',
  );
  if (coded instanceof Error) return coded;
  const aggregated = chain.find((cause) => cause instanceof AggregateError);
  if (aggregated instanceof Error) return aggregated;
  const broken = chain.find(
    (cause) => cause instanceof TypeError && /fetch failed|terminated/.test(cause.message),
  );
  return broken instanceof Error
    ? Object.assign(new Error(broken.message), { code: 'ECONNRESET' })
    : undefined;
}

export function errorCauses(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (
    let at = error;
    at !== undefined && at !== null && chain.length < MAX_CAUSES;
    at = fieldsIn(at)?.['cause']
  )
    chain.push(at);
  return chain;
}
