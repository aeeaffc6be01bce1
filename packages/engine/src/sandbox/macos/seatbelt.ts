/** Isolation on macOS: each program runs under `sandbox-exec` with the session's profile. */
import type { Isolate } from '../../protocol/tools/isolation.ts';
import type { DomainProxy } from '../linux/domain-proxy.ts';
import { real, writableRoots } from '../linux/mounts.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { SessionFolders } from '../session-folders.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

interface SeatbeltPorts {
  /** Absolute path of the program. */
  readonly seatbelt: string;
  readonly folders: () => Promise<SessionFolders>;
  readonly policy: () => SandboxPolicy;
  readonly proxy: (() => Promise<DomainProxy>) | undefined;
}

export function isolateWithSeatbelt({ seatbelt, folders, policy: now, proxy: open }: SeatbeltPorts): Isolate {
  return async (launch) => {
    const policy = now();
    const proxy = await open?.();
    const { tmp } = await folders();
    const own = (await real(tmp)) ?? tmp;
    const profile = seatbeltProfile({
      policy,
      writable: await writableRoots(policy),
      tmp: own,
      proxyPorts: proxy?.ports ?? [],
    });
    const env: Record<string, string> = { ...launch.env, ...proxy?.env, TMPDIR: own };
    for (const name of policy.hiddenVariables) delete env[name];
    return { ...launch, program: seatbelt, args: ['-p', profile, launch.program, ...launch.args], env };
  };
}
