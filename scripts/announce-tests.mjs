// Says what a run of the tests will do, before it is silent for a while.
const form = process.env.TURNWRIGHT_LONG_TESTS;
const said = { files: ['All tests, long ones in a short form', 8], 1: ['All tests', 25] };
const [what, minutes] = said[form] ?? ['The tests, long ones in a short form or left out', 4];
console.log(`${what}, offline: about ${minutes} minutes on two processors. They start programs, servers and terminals on this
machine, write to temporary folders alone, and need neither a key nor the network.
One room: npx vitest run packages/engine/test/loop. The quick ones, within a minute: npm run test:quick.
`);
