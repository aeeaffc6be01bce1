/** A kept session as the text of a scenario file. */
import { TurnwrightError } from '../../protocol/errors.ts';
import { recordScenario, scenarioText } from '../../replay/record-scenario.ts';
import { redactRecords } from '../../session/redact-records.ts';
import { readSessionEntries, type SessionPlace } from './inspect-session.ts';

/** undefined: no answer is recorded. Throws `session_not_found` and `invalid_option`. */
export async function recordSessionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  { submission, redact }: { readonly submission?: number | undefined; readonly redact?: boolean | undefined },
): Promise<string | undefined> {
  const read = await readSessionEntries(sessionId, place);
  const entries = redact === true ? redactRecords(read) : read;
  const scenario = recordScenario(entries, { submission });
  if (scenario === undefined && submission !== undefined)
    throw new TurnwrightError(
      'invalid_option',
      `The session ${read[0]?.sessionId ?? ''} has no submission ${submission} that was answered.`,
    );
  return scenario === undefined ? undefined : scenarioText(scenario);
}
