/** Where the programs are that isolate. */
export interface SandboxPrograms {
  /** bubblewrap, or `sandbox-exec` on macOS. */
  readonly isolator: string;
  readonly socat: string | undefined;
}
