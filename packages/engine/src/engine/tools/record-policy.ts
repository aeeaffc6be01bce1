import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { Recorder } from '../../protocol/session/journal.ts';
import type { PolicyInForce } from '../../protocol/session/policy-in-force.ts';
import type { GatePorts } from '../../protocol/tools/gate-ports.ts';
import { intentRecorder } from './record-intent.ts';

/** Characters of the hash that names a policy. */
const NAME_CHARS = 10;

/** What the gate has recorded of a call before its tool starts. */
export function callRecorders(
  recorder: Recorder,
  permissions: Pick<Permissions, 'policyFor'>,
): Pick<GatePorts, 'recordIntent' | 'recordPolicy'> {
  return {
    recordIntent: intentRecorder(recorder),
    recordPolicy: policyRecorder(recorder, permissions),
  };
}

/** Records the policy before the first call that it decides about, and again whenever it has changed. */
function policyRecorder(
  recorder: Pick<Recorder, 'later'>,
  permissions: Pick<Permissions, 'policyFor'>,
): NonNullable<GatePorts['recordPolicy']> {
  let version: number | undefined;
  let name = '';
  let parts: ReadonlyMap<string, string> = new Map();
  const recorded = new Set<string>();
  const note = (policy: PolicyInForce, effectKey: string) => {
    const now = new Map(Object.entries(policy).map(([part, value]) => [part, JSON.stringify(value)]));
    name = sha256([...now].join('\n')).slice(0, NAME_CHARS);
    const changed = Object.entries(policy).filter(([part]) => now.get(part) !== parts.get(part));
    parts = now;
    if (changed.length === 0) return;
    const isKnown = recorded.has(name);
    recorded.add(name);
    recorder.later([
      {
        type: 'policy',
        id: `${effectKey}/policy`,
        submission: effectKey.slice(0, effectKey.indexOf('/')),
        policy: name,
        ...(isKnown ? {} : Object.fromEntries(changed)),
      },
    ]);
  };
  return (question, effectKey) => {
    const now = permissions.policyFor(question);
    if (now.version !== version) note(now.inForce(), effectKey);
    version = now.version;
    return { policy: name, ...(now.tool !== undefined && { tool: now.tool }) };
  };
}
