import type { Wait } from '../session/parking.ts';

/**
 * Thrown by a tool that would have to wait for longer than its run may: the call gets no result, and the next
 * run makes it again. Only for tools that may run again.
 */
export class CallParked extends Error {
  override readonly name = 'CallParked';
  readonly wait: Wait;

  constructor(wait: Wait) {
    super('The call waits for longer than its run may.');
    this.wait = wait;
  }
}
