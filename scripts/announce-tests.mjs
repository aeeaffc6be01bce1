// Says what a run of the tests will do, before it is silent for a while.
const long = process.env.TURNWRIGHT_LONG_TESTS === '1';
console.log(`${long ? 'All tests' : 'The tests, long ones in a short form or left out'}, offline: about ${long ? 12 : 4} minutes on two processors. They start programs, servers and terminals on this
machine, write to temporary folders alone, and need neither a key nor the network.
One room: npx vitest run test/loop. The quick ones, within a minute: npm run test:quick.
`);
