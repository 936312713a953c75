const zero: 0;
      broken: 7 / zero;
      large: 9223372036854775807 + 1;
      negative: -(-9223372036854775807 - 1);
      follows: broken + large;
type T: 0..follows;
