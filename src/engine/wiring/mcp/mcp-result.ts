/** What tools of servers in this process answer is read as that of any other server. */
export { keeperOf, outputOf, renderOutput } from '../../../mcp/tools/result.ts';
