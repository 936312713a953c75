-- Numbers and counts of values at the ends of 64 bits.
const
  least: -9223372036854775808;
  next: -9223372036854775807;
  below: next - 1;
  above: 9223372036854775807 + 1;
  complement: ~9223372036854775807;
type
  full: 0..9223372036854775807;
  half: 1..9223372036854775807;
  wide: next..9223372036854775807;
  many: scalarset(9223372036854775807);
  bag: multiset [9223372036854775807] of boolean;
  both: union {half, enum {one}};
  nothing: record end;
  hollow: array [1..2] of nothing;
  queue: list of nothing;
  queues: list of hollow;
  nested: list of list of nothing;
var x: half;
startstate x := 1; end;
rule x := -9223372036854775808; end;
invariant x > 0;
