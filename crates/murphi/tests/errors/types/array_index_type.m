type Message: record kind: boolean; end;
     Table: array [Message] of boolean;
     Lists: array [list of boolean] of boolean;
var t: Table;
startstate undefine t; end;
