// The client that the suite starts: it hands the scenario over to the test's own process, where the library is loaded
// once, and ends when the library is done.
import { request } from 'node:http';

const {
  MCP_CONFORMANCE_SCENARIO: scenario,
  MCP_CONFORMANCE_CONTEXT: context = '{}',
  CLIENT_PORT,
} = process.env;
const body = JSON.stringify({ scenario, url: process.argv.at(-1), context: JSON.parse(context) });
const sent = request({ port: CLIENT_PORT, host: '127.0.0.1', method: 'POST' }, async (response) => {
  for await (const chunk of response) process.stderr.write(chunk);
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
sent.on('error', (error) => {
  throw error;
});
sent.end(body);
