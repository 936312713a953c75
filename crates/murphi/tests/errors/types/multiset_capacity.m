var bag: multiset [0] of boolean;
startstate undefine bag; end;
