// The gate of prices: what works cost with ours, in units, and that no request writes cached tokens again without an owner.
// Limits are 5 % above what was measured when they were set; the figures are those of an account, so they do not vary with
// the machine.
import { priceOf } from './run.mjs';

/** Units by work. Those that say nothing more than these, and cost much time, are left out. */
const LIMITS = {
  short: 6_500,
  servers25: 33_900,
  search80: 95_400,
  late: 32_000,
  modes: 43_600,
  effort: 45_700,
  agents: 38_200,
  resumed: 54_200,
  memory: 57_700,
};

// Some ten seconds of the processor by itself.
if (process.env.TURNWRIGHT_LONG_TESTS === '1') LIMITS.turns200 = 1_772_000;

let failed = false;
for (const [name, limit] of Object.entries(LIMITS)) {
  const { avoidable, left, refused, units } = await priceOf(name, 'turnwright');
  const isWhole = left === 0 && refused === undefined;
  const ok = isWhole && avoidable.length === 0 && units <= limit;
  failed ||= !ok;
  const verdict = ok ? 'ok' : isWhole ? 'TOO DEAR' : 'NOT DONE';
  console.log(`${verdict}  price of ${name}: ${Math.round(units)} units, at most ${limit}`);
  for (const { request, tokens, changed } of avoidable)
    console.log(
      `    request ${request} wrote ${tokens} cached tokens again, and nobody owns that: ${changed}`,
    );
  if (!isWhole) console.log(`    ${refused ?? `${left} answers were not asked for`}`);
}
process.exit(failed ? 1 : 0);
