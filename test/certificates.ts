/**
 * Node 20 parses every certificate authority at its start where `NODE_EXTRA_CA_CERTS` is set: 70 ms of 115, for each of
 * thousands of programs that talk to this machine alone. A test that needs the variable sets it for its program.
 */
export function setup(): void {
  delete process.env['NODE_EXTRA_CA_CERTS'];
}
