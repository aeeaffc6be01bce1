/** The sandbox of a session: opened by the first program that runs in it. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { Isolate, Launch } from '../protocol/tools/isolation.ts';
import { isolateWithBubblewrap } from './linux/bubblewrap.ts';
import { openDomainProxy } from './linux/domain-proxy.ts';
import { isolateWithSeatbelt } from './macos/seatbelt.ts';
import type { Aftermath } from './places/left-behind.ts';
import type { SandboxPolicy, SandboxPrograms } from './policy.ts';
import { openFolders, removeFolders } from './session-folders.ts';

interface SandboxOptions {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  readonly programs: SandboxPrograms;
  /** Asked anew for each program. */
  readonly policy: () => SandboxPolicy;
  /** What is done about things that programs leave behind. */
  readonly aftermath: Aftermath;
  readonly warn: (line: string) => void;
}

export interface Sandbox {
  readonly isolate: Isolate;
  /** Its folders are removed, its proxy stops. */
  close(): Promise<void>;
}

export function openSandbox({
  platform,
  architecture,
  programs,
  policy,
  aftermath,
  warn,
}: SandboxOptions): Sandbox {
  let opened: ReturnType<typeof openFolders> | undefined;
  const folders = () => (opened ??= openFolders());
  const { network } = policy();
  let proxy: ReturnType<typeof openDomainProxy> | undefined;
  const needsProxy = network.kind === 'domains';
  const openProxy = () => {
    if (network.kind === 'domains') proxy ??= openDomainProxy(network, programs);
    return proxy as ReturnType<typeof openDomainProxy>;
  };
  const isolate = lazily(() =>
    platform === 'darwin'
      ? isolateWithSeatbelt({
          seatbelt: programs.isolator,
          folders,
          policy,
          proxy: needsProxy ? openProxy : undefined,
        })
      : isolateWithBubblewrap({
          bwrap: programs.isolator,
          architecture,
          folders,
          policy,
          proxy: needsProxy ? openProxy : undefined,
          aftermath,
          warn,
        }),
  );
  return {
    isolate: (launch: Launch) => isolate()(launch),
    async close() {
      await proxy?.then((open) => open.close()).catch(() => {});
      if (opened !== undefined) await opened.then(removeFolders, () => {});
    },
  };
}
