// Elements of an array are one.
//= table[] -> x, y
//= p -> x, y
//= end -> table[]
//= rows[][] -> z
//= row -> rows[][]
int x, y, z, i, *table[8], *p, **end, *rows[2][3], **row;

int main(void) {
    table[0] = &x;
    table[i] = &y;
    p = table[5];
    end = table + i;
    rows[1][2] = &z;
    row = rows[i];
    return p == *end;
}
