// What points at a literal points at its first character.
//= name -> string 0[]
//= end -> string 0[]
const char *name, *end;

int main(void) {
    name = "disk";
    end = name + 4;
    return *end;
}
