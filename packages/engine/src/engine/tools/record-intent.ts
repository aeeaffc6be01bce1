import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import type { GatePorts } from '../../protocol/tools/gate-ports.ts';

/** Records a call, and writes the record to the disk, before its tool starts. */
export function intentRecorder(recorder: Recorder): GatePorts['recordIntent'] {
  return ({ block, effectKey }, effectClass, updatedInput) => {
    const intent: JournalBody = {
      type: 'intent',
      id: `${effectKey}/intent`,
      submission: effectKey.slice(0, effectKey.indexOf('/')),
      toolUseId: block.id,
      toolName: block.name,
      effectClass,
      ...(updatedInput !== undefined && { updatedInput }),
    };
    const appending = recorder.append([intent]);
    return appending === undefined ? recorder.commit() : appending.then(() => recorder.commit());
  };
}
