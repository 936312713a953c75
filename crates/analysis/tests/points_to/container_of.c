// From a member to the record around it, as kernels do it.
//= list -> device.link.next
//= found -> device.name
//= name -> text[]
#define offsetof(type, member) __builtin_offsetof(type, member)
#define container_of(pointer, type, member) \
    ({ const __typeof__(((type *)0)->member) *inside = (pointer); (type *)((char *)inside - offsetof(type, member)); })

struct link { struct link *next; };
struct device { char *name; int number; struct link link; } device, *found;
struct link *list;
char text[8], *name;

int main(void) {
    device.name = text;
    list = &device.link;
    found = container_of(list, struct device, link);
    name = found->name;
    return found->number;
}
